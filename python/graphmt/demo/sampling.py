"""Drawing phrases and clauses that go together: selection, agreement of possessives, tense and adverbs."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from graphmt.demo.abstract import Adverbial, Argument, Clause, Phrase
from graphmt.demo.chance import Chance
from graphmt.demo.lexicon import Complement, Frame, Noun, lexicon

#: What can be said when: a state is not going on right now, an event is seldom seen in the middle.
_TIMES = {
    "activity": ("past", "now", "habit", "future", "modal", "simple"),
    "event": ("past", "future", "modal", "simple"),
    "state": ("past", "now", "simple"),
    "habit": ("past", "now", "habit", "simple"),
}
_HUMAN = frozenset({"person", "friend", "family", "parents", "royal", "name"})
_SUBJECTS = {"ich": 3.0, "du": 1.0, "er": 4.0, "sie": 4.0, "wir": 2.0, "ihr": 0.6, "sie_pl": 2.0}
_OBJECTS = {"ich": 2.0, "du": 1.0, "er": 3.0, "sie": 3.0, "wir": 1.0, "sie_pl": 1.0}
_POSSESSORS = {"ich": 5.0, "du": 1.0, "er": 2.0, "sie": 2.0, "wir": 3.0}
_MODALS = {"können": 3.0, "müssen": 3.0, "wollen": 3.0, "sollen": 1.5, "möchten": 2.0, "dürfen": 1.0}
_TRIES = 12
_PAST_MODALS = {"können": 1.0, "müssen": 1.0, "wollen": 1.0}


def is_human(phrase: Phrase) -> bool:
    """Whether the phrase names or stands for a person."""
    if phrase.antecedent:
        return is_human(phrase.antecedent)
    return bool(phrase.pronoun or phrase.question == "wer" or (phrase.noun and phrase.noun.kind in _HUMAN))


def pronoun_for(phrase: Phrase) -> str:
    """The pronoun that takes a phrase up, or nothing where German and English would quarrel (das Kind)."""
    if phrase.pronoun:
        return phrase.pronoun
    if phrase.agreement == "pl":
        return "sie_pl"
    if phrase.noun is None or phrase.noun.kind not in _HUMAN:
        return ""
    return {"m": "er", "f": "sie"}.get(phrase.noun.gender, "")


@functools.cache
def frames_for(time: str, flag: str = "", without: str = "", aspect: str = "") -> tuple[Frame, ...]:
    """The frames for a time, with one flag and without another; those that take clauses stay out."""
    found = [
        frame
        for frame in lexicon().frames
        if time in _TIMES[frame.aspect]
        and "complement" not in frame.flags
        and (not flag or flag in frame.flags)
        and (not without or without not in frame.flags)
        and (not aspect or frame.aspect == aspect)
        and not (time == "modal" and not _personal(frame))
        and not (time in ("modal", "future") and "accident" in frame.flags and _personal(frame))
    ]
    return tuple(frame for frame in found for _ in range(_weight(frame)))


def _weight(frame: Frame) -> int:
    """Frames in which a distant word matters are drawn more often."""
    distant = frame.particle or frame.lemma in lexicon().ambiguous_verbs
    return 4 if "swap" in frame.flags else 2 if distant else 1


@functools.cache
def _personal(frame: Frame) -> bool:
    return any(noun.kind in _HUMAN for name in frame.subject for noun in lexicon().by_class.get(name, ()))


@functools.cache
def nouns_of(classes: tuple[str, ...]) -> tuple[Noun, ...]:
    """The nouns of any of the classes; ambiguous ones count double, for they are what the corpus is about."""
    found = [noun for name in classes for noun in lexicon().by_class[name]]
    return tuple(found + [noun for noun in found if noun.lemma in lexicon().ambiguous_nouns])


class Sampler:
    """Draws phrases and clauses by chance."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self._used: set[str] = set()

    def begin(self) -> None:
        """Start a new sentence: every noun may be drawn again."""
        self._used.clear()

    def noun(self, classes: tuple[str, ...]) -> Noun:
        """A noun that the sentence does not have yet, in either language, as far as there are enough."""
        choices = nouns_of(classes)
        for _ in range(_TRIES):
            noun = self.chance.one(choices)
            if not self._used & {noun.lemma, noun.english}:
                break
        self._used |= {noun.lemma, noun.english}
        return noun

    def noun_phrase(self, noun: Noun, subject: Phrase | None, *, plain: bool = False, plural: bool = False) -> Phrase:
        """A phrase around a noun, with the determiner, number and adjective that its kind calls for."""
        chance = self.chance
        kind = lexicon().kinds.get(noun.kind, lexicon().kinds["default"])
        phrase = Phrase(noun, determiner=chance.weighted(kind["determiners"]))
        if "mass" in noun.flags and phrase.determiner == "indef":
            phrase.determiner = "none"
        if plural or "plural" in noun.flags or (noun.plural and chance.happens(kind["plural"])):
            fixed = noun.flags & {"mass", "single"}
            phrase.number = "sg" if fixed else "pl"
        if phrase.number == "pl" and phrase.determiner == "indef" and noun.kind in _HUMAN:
            phrase.determiner = "def"
        if phrase.determiner == "poss":
            phrase.possessor = self._possessor(subject)
        adjectives = lexicon().by_kind.get(noun.kind, ())
        if adjectives and not plain and chance.happens(kind["adjective"]):
            phrase.adjective = chance.one(adjectives)
        if phrase.determiner == "def" and not plain and chance.happens(kind.get("owner", 0.0)):
            phrase.owner = self._owner()
        return phrase

    def _owner(self) -> Phrase:
        owner = self.noun_phrase(self.noun(("person",)), None, plain=True)
        owner.number = "sg"
        if owner.determiner == "indef":
            owner.determiner = "def"
        return owner

    def _possessor(self, subject: Phrase | None) -> str:
        own = pronoun_for(subject) if subject else ""
        if own and own != "es" and self.chance.happens(0.75):
            return own
        # Any other owner is of another person than the subject, so that no one can be mistaken.
        taken = {"er", "sie"} if subject and own in ("", "er", "sie", "sie_pl", "es") else set()
        return self.chance.weighted({name: w for name, w in _POSSESSORS.items() if name not in taken})

    def subject(self, frame: Frame, *, pronouns: bool = True) -> Phrase:
        """A subject for a frame."""
        chance = self.chance
        if "weather" in frame.flags:
            return Phrase(pronoun="es")
        human = "person" in frame.subject
        if human and pronouns and chance.happens(0.38):
            return self.pronoun(_SUBJECTS)
        if human and chance.happens(0.22):
            name = self.noun_phrase(self.noun(("name",)), None)
            if chance.happens(0.12):
                name.partner = self.noun_phrase(self.noun(("name",)), None)
            return name
        # Where a frame names a special class first, it is the typical subject.
        classes = frame.subject[:1] if chance.happens(0.7) else frame.subject
        phrase = self.noun_phrase(self.noun(classes), None)
        if phrase.determiner in ("indef", "none") and not is_human(phrase) and "mass" not in _flags(phrase):
            phrase.determiner = "def"
        if "mass" in _flags(phrase):
            phrase.determiner = "def"
        return phrase

    def pronoun(self, weights: dict[str, float]) -> Phrase:
        """A personal pronoun."""
        name = self.chance.weighted(weights)
        return Phrase(pronoun=name, number=str(lexicon().paradigms["pronouns"][name]["number"]))

    def argument(self, complement: Complement, subject: Phrase) -> Argument:
        """Fill one place of a frame."""
        chance = self.chance
        if complement.kind == "refl":
            return Argument(complement)
        if complement.kind == "manner":
            return Argument(complement, adverb=chance.one(lexicon().by_time[complement.classes[0]]))
        if "person" in complement.classes and complement.kind != "prep" and chance.happens(0.2):
            return Argument(complement, self._object_pronoun(subject))
        if "person" in complement.classes and chance.happens(0.08):
            classes: tuple[str, ...] = ("name",)
        else:
            classes = complement.classes
        name = chance.one(classes)
        noun = self.noun((name,))
        phrase = self.noun_phrase(noun, subject, plain=complement.bare, plural=name in complement.plural)
        if complement.kind in ("at", "to", "prep") and noun.kind not in _HUMAN:
            phrase.owner = None
            phrase.number = "sg"
            if complement.kind in ("at", "to") and phrase.determiner == "dies":
                phrase.determiner = "def"
        if name in complement.definite and not phrase.is_definite:
            phrase.determiner = "def"
        if name in complement.indefinite:
            phrase.determiner = "none" if "mass" in noun.flags else "indef"
            phrase.possessor, phrase.owner = "", None
        if "bare-english" in noun.flags:
            phrase.determiner, phrase.adjective, phrase.number = "def", None, "sg"
        return Argument(complement, phrase)

    def _object_pronoun(self, subject: Phrase) -> Phrase:
        person = lexicon().paradigms["pronouns"][pronoun_for(subject) or "er"]["person"]
        first = {1: ("ich", "wir"), 2: ("du",), 3: ("sie", "sie_pl") if pronoun_for(subject) != "er" else ()}[person]
        return self.pronoun({name: weight for name, weight in _OBJECTS.items() if name not in first})

    def clause(self, frame: Frame, subject: Phrase | None = None, *, form: str = "main") -> Clause:
        """A clause with its places filled, in the present and without adverbs."""
        who = subject or self.subject(frame)
        clause = Clause(frame, who, form=form)
        for complement in frame.arguments:
            if complement.kind == "clause" or (complement.optional and not self.chance.happens(0.4)):
                continue
            clause.arguments.append(self.argument(complement, who))
        clause.objects_first = self.chance.happens(0.5)
        clause.extraposed = self.chance.happens(0.85)
        return clause

    def set_time(self, clause: Clause, time: str, adverb: float = 0.5) -> None:
        """Give a clause its tense, and with some probability the adverbs that go with it."""
        chance = self.chance
        if time == "past":
            self._set_past(clause)
        elif time == "modal":
            past = chance.happens(0.3)
            clause.modal = chance.weighted(_PAST_MODALS if past else _MODALS)
            clause.tense = "preterite" if past else "present"
        elif time == "future" and chance.happens(0.4):
            clause.tense = "future"
        if time == "habit":
            clause.habitual = True
        needs = time in ("future", "habit") and clause.tense == "present"
        state = clause.frame is None or clause.frame.aspect in ("state", "habit")
        if (needs or chance.happens(adverb)) and not (state and time != "habit"):
            self._add_time(clause, time)
        manners = clause.frame.extras & {"manner", "loud", "rain", "hard"} if clause.frame else frozenset()
        if manners and chance.happens(0.35):
            clause.adverbials.append(Adverbial(chance.one(lexicon().by_time[min(manners)])))

    def _set_past(self, clause: Clause) -> None:
        state = clause.frame is None or clause.frame.aspect == "state"
        third = not clause.subject.pronoun or clause.subject.pronoun in ("er", "sie", "es", "sie_pl")
        modal_like = clause.frame is not None and clause.frame.base == "haben" and not clause.frame.particle
        literary = third and self.chance.happens(0.4)
        clause.tense = "preterite" if state or modal_like or literary else "perfect"

    def _add_time(self, clause: Clause, time: str) -> None:
        name = time
        if time == "modal":
            if clause.tense == "preterite":
                return
            name = "future"
        elif time == "simple":
            return
        choices = lexicon().by_time[name]
        if clause.frame and "daily" in clause.frame.flags:
            # Nobody got up last year.
            choices = tuple(adverb for adverb in choices if "far" not in adverb.classes)
        clause.adverbials.append(Adverbial(self.chance.one(choices)))
        if time == "habit":
            generalise(clause)

    def negate(self, clause: Clause) -> bool:
        """Deny a clause, with *kein* where an object has no definite article; say whether that went."""
        if any(adverbial.classes & {"habit", "unsure"} for adverbial in clause.adverbials):
            return False
        open_objects = [
            argument.phrase
            for argument in clause.arguments
            if argument.phrase and argument.complement.kind in ("acc", "dat") and not _is_settled(argument.phrase)
        ]
        if not open_objects:
            clause.negated = True
            # Die Blumen gerade nicht, rather than gerade die Blumen nicht.
            clause.objects_first = True
            return True
        target = open_objects[-1]
        if len(open_objects) > 1 or (target.noun and "bare" in target.noun.flags):
            return False
        target.determiner = "kein"
        return True


def generalise(clause: Clause) -> None:
    """What is done often or gladly is done to things in general: *ein Bild* becomes *Bilder*."""
    for argument in clause.arguments:
        phrase = argument.phrase
        if argument.complement.kind != "acc" or phrase is None or phrase.noun is None:
            continue
        if phrase.determiner == "indef" and phrase.noun.plural and phrase.noun.kind not in _HUMAN:
            phrase.number = "pl"


def _is_settled(phrase: Phrase) -> bool:
    return phrase.is_definite or phrase.is_pronoun or bool(phrase.question or phrase.antecedent)


def _flags(phrase: Phrase) -> frozenset[str]:
    return phrase.noun.flags if phrase.noun else frozenset()


def has_class(noun: Noun, classes: Sequence[str]) -> bool:
    """Whether a noun is of one of the classes."""
    return any(name in noun.classes for name in classes)
