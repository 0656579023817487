"""The synchronous grammar: each production draws one kind of sentence as an abstract tree.

Both linearisers read the same tree, so a production speaks of no word order but what German puts first.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass

from graphmt.demo.abstract import Adverbial, Argument, Clause, Front, Phrase
from graphmt.demo.chance import Chance
from graphmt.demo.lexicon import Adverb, Complement, Frame, Noun, lexicon
from graphmt.demo.sampling import Sampler, frames_for, generalise, has_class, is_human, pronoun_for

_TIMES = {"past": 38.0, "now": 26.0, "habit": 9.0, "future": 13.0, "modal": 14.0}
_QUESTION_TIMES = {"past": 45.0, "now": 25.0, "future": 15.0, "modal": 15.0}
_UNCLEAR = frozenset({"sie", "sie_pl", "es", "ihr"})


@dataclass(frozen=True)
class Sentence:
    """A drawn sentence and its final mark."""

    clause: Clause
    mark: str = "."


class Grammar:
    """Draws sentences."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.sample = Sampler(chance)
        self.productions: dict[str, Callable[[], Sentence]] = {
            "statement": self.statement,
            "relative": self.relative,
            "yesno": self.yesno,
            "wh": self.wh,
            "that": self.that,
            "to": self.to,
            "purpose": self.purpose,
            "reason": self.reason,
            "condition": self.condition,
            "when": self.when,
            "copular": self.copular,
            "joined": self.joined,
            "gern": self.gern,
        }
        self.weights = {
            "statement": 32.0,
            "relative": 14.0,
            "yesno": 7.0,
            "wh": 7.0,
            "that": 9.0,
            "to": 5.0,
            "purpose": 3.0,
            "reason": 8.0,
            "condition": 5.0,
            "when": 5.0,
            "copular": 4.0,
            "joined": 4.0,
            "gern": 3.0,
        }

    def sentence(self) -> Sentence:
        """S → any of the productions below."""
        self.sample.begin()
        return self.productions[self.chance.weighted(self.weights)]()

    # Sentences.

    def statement(self) -> Sentence:
        """S → subject verb arguments adverbials, something of it first."""
        clause = self._timed(self.chance.weighted(_TIMES))
        if self.chance.happens(0.22):
            self.sample.negate(clause)
        clause.front = self._front(clause)
        return Sentence(clause)

    def relative(self) -> Sentence:
        """S → a statement, one noun of which has a relative clause."""
        clause = self._timed(self.chance.weighted(_TIMES), adverb=0.3)
        # An English relative clause ends its clause, or an adverb after it would seem to belong inside.
        ends = [
            clause.subject,
            *(a.phrase for a in clause.arguments[-1:] if a.phrase and not a.complement.bare),
        ]
        bearers = [phrase for phrase in ends if self._can_bear(phrase)]
        if bearers:
            bearer = self.chance.one(bearers)
            self._relativise(bearer, clause)
            if bearer is not clause.subject:
                self._front_adverbs(clause)
        return Sentence(clause)

    def yesno(self) -> Sentence:
        """S → finite verb, subject, rest?"""
        return Sentence(self._asked("yesno", 0.5), "?")

    def wh(self) -> Sentence:
        """S → who, whom, what, when, why or where, finite verb, rest?"""
        clause = self._asked("wh", 0.25)
        self._ask(clause)
        return Sentence(clause, "?")

    def that(self) -> Sentence:
        """S → subject verb, (dass | ob) clause."""
        chance = self.chance
        frame = chance.one(_takers("dass") + _takers("ob"))
        main = self.sample.clause(frame)
        asking = frame.arguments[-1].classes
        if frame.aspect == "event":
            # What was said of the past is told in the perfect throughout, so no sequence of tenses comes in.
            main.tense = "perfect"
            below = self._timed("past", form="sub")
            below.tense = "perfect" if below.tense == "preterite" and not _is_state(below) else below.tense
        else:
            below = self._timed(
                chance.weighted({"past": 4.0, "now": 3.0, "future": 2.0, "modal": 1.0}), form="sub"
            )
        below.conjunction = asking[0]
        if "ob" in asking and (len(asking) == 1 or chance.happens(0.5)):
            below.conjunction = "ob"
            main.negated = len(asking) > 1
        elif chance.happens(0.1):
            self.sample.negate(below)
        main.complement = below
        return Sentence(main)

    def to(self) -> Sentence:
        """S → subject verb, infinitive with zu."""
        frame = self.chance.one(_takers("zu"))
        main = self.sample.clause(frame)
        if frame.aspect == "event" or self.chance.happens(0.4):
            self.sample.set_time(main, "past", adverb=0.0)
        main.complement = self.sample.clause(self.chance.one(frames_for("modal")), main.subject, form="zu")
        return Sentence(main)

    def purpose(self) -> Sentence:
        """S → subject goes somewhere, um infinitive with zu: what one does in such a place."""
        chance = self.chance
        main = self._timed(
            chance.weighted({"past": 3.0, "now": 3.0, "modal": 2.0, "future": 1.0}), flag="goal"
        )
        where = chance.weighted({"shop": 3.0, "eatery": 2.0, "library": 1.0, "stop": 2.0})
        main.arguments[0] = self.sample.argument(_narrowed(main.arguments[0].complement, where), main.subject)
        below = self.sample.clause(
            chance.one(frames_for("modal", f"errand-{where}")), main.subject, form="zu"
        )
        below.arguments = [argument for argument in below.arguments if argument.complement.kind != "at"]
        below.conjunction = "um"
        main.after = below
        # English says when after the purpose, so German says it first.
        self._front_adverbs(main)
        return Sentence(main)

    def reason(self) -> Sentence:
        """S → statement, (weil | obwohl) clause; either may come first."""
        chance = self.chance
        time = chance.weighted({"past": 5.0, "now": 3.0})
        main = self._by_someone(time, adverb=0.3)
        main.subject.adjective = None
        below = self._cause(time, main)
        below.conjunction = "weil" if chance.happens(0.7) else "obwohl"
        return Sentence(self._with_adjunct(main, below, 0.3))

    def condition(self) -> Sentence:
        """S → wenn clause, statement: if of the future, when of habits."""
        chance = self.chance
        habit = chance.happens(0.35)
        time = "habit" if habit else chance.weighted({"future": 2.0, "modal": 1.0})
        main = self._by_someone(time, adverb=0.0)
        if main.modal:
            main.modal, main.tense = chance.one(("können", "müssen", "sollen")), "present"
        below = self._below(chance.one(frames_for("simple", "condition")), main)
        below.conjunction = "wenn"
        below.habitual = habit
        main.adverbials = [
            a for a in main.adverbials if a.adverb.english[0] in ("always", "often", "usually")
        ]
        if not habit and main.tense == "present" and not main.modal:
            main.tense = "future"
        if habit and not main.adverbials:
            main.adverbials.append(Adverbial(_adverb("immer")))
        return Sentence(self._with_adjunct(main, below, 0.5))

    def when(self) -> Sentence:
        """S → (als | bevor) clause, statement: both in the past."""
        chance = self.chance
        main = self._by_someone("past", adverb=0.0)
        below = self._below(chance.one(frames_for("simple", without="weather", aspect="event")), main)
        below.conjunction = "als" if chance.happens(0.6) else "bevor"
        third = _is_third(main) and _is_third(below)
        main.tense = "preterite" if third or _is_state(main) else "perfect"
        below.tense = "preterite" if third or below.conjunction == "als" else "perfect"
        return Sentence(self._with_adjunct(main, below, 0.5))

    def copular(self) -> Sentence:
        """S → subject is adjective, or subject is of a profession."""
        clause = self._is(past=self.chance.happens(0.35))
        if self.chance.happens(0.2):
            clause.negated = not isinstance(clause.predicate, Noun)
        return Sentence(clause)

    def joined(self) -> Sentence:
        """S → statement (und | aber) statement."""
        time = self.chance.weighted({"past": 3.0, "now": 2.0, "future": 1.0})
        main = self._timed(time, adverb=0.15)
        other = self._timed(time, adverb=0.0)
        other.adverbials = []
        if time == "future":
            main.tense = other.tense = "future"
        other.conjunction = "und" if self.chance.happens(0.5) else "aber"
        if other.conjunction == "aber":
            self.sample.negate(other)
        main.joined = other
        return Sentence(main)

    def gern(self) -> Sentence:
        """S → subject verb gern: English likes to."""
        frames = [frame for frame in frames_for("now") if "gern" in frame.extras]
        clause = self.sample.clause(self.chance.one(frames))
        clause.gern = True
        generalise(clause)
        if self.chance.happens(0.25):
            clause.form = "yesno"
        elif self.chance.happens(0.2):
            clause.negated = all(p.determiner not in ("indef", "none") for p in clause.phrases if p.noun)
        return Sentence(clause, "?" if clause.form == "yesno" else ".")

    # Parts.

    def _timed(
        self, time: str, *, form: str = "main", flag: str = "", without: str = "", adverb: float = 0.5
    ) -> Clause:
        clause = self.sample.clause(self.chance.one(frames_for(time, flag, without)), form=form)
        self.sample.set_time(clause, time, adverb)
        return clause

    def _by_someone(self, time: str, adverb: float) -> Clause:
        """A clause about a person whom the next clause can take up; one does not tell *you* what you did."""
        while True:
            self.sample.begin()
            clause = self._timed(time, without="swap", adverb=adverb)
            if self._resumed(clause.subject) and clause.subject.pronoun not in ("du", "ihr"):
                return clause

    def _asked(self, form: str, adverb: float) -> Clause:
        """A clause for a question: not of the speaker, who would know, nor of just anyone."""
        clause = self._timed(self.chance.weighted(_QUESTION_TIMES), form=form, adverb=adverb)
        while clause.subject.pronoun in ("ich", "wir"):
            clause = self._timed(self.chance.weighted(_QUESTION_TIMES), form=form, adverb=adverb)
        if clause.subject.determiner == "indef":
            clause.subject.determiner = "def"
        return clause

    def _front(self, clause: Clause) -> Front:
        """What German puts first: mostly the subject, often an adverbial, at times a comment or an object."""
        chance = self.chance
        movable = [a for a in clause.adverbials if "middle" not in a.adverb.place and _is_time(a)]
        if movable and chance.happens(0.5):
            return movable[0]
        settled = clause.tense in ("perfect", "preterite") or clause.modal
        if settled and chance.happens(0.08):
            comment = Adverbial(chance.one(lexicon().by_time["comment"][:2]))
            clause.adverbials.insert(0, comment)
            return comment
        clear = [argument for argument in clause.arguments if self._is_clear(clause, argument)]
        if clear and chance.happens(0.6):
            return chance.one(clear)
        return None

    def _is_clear(self, clause: Clause, argument: Argument) -> bool:
        """Whether an argument can stand first without being taken for the subject."""
        phrase, kind = argument.phrase, argument.complement.kind
        if phrase is None or kind == "refl" or phrase.is_pronoun or not phrase.is_definite or clause.negated:
            return False
        if kind != "acc":
            named = phrase.noun is not None and _is_name(phrase.noun)
            return not named if kind == "dat" else argument.complement.optional
        subject = clause.subject
        if subject.pronoun:
            return subject.pronoun not in _UNCLEAR or _shows_accusative(phrase)
        return _shows_accusative(phrase)

    @staticmethod
    def _front_adverbs(clause: Clause) -> None:
        """Keep only an adverbial that both languages can put first, and put it there."""
        early = [a for a in clause.adverbials if "pre" in a.adverb.place]
        first = [a for a in clause.adverbials if "front" in a.adverb.place and a not in early][:1]
        clause.adverbials = early + first
        clause.front = first[0] if first else None
        if clause.tense == "present" and not clause.modal and not clause.adverbials:
            clause.tense = "future" if clause.frame and clause.frame.aspect == "event" else "present"

    def _can_bear(self, phrase: Phrase) -> bool:
        noun = phrase.noun
        return (
            noun is not None
            and phrase.determiner in ("def", "indef", "dies")
            and not phrase.owner
            and not noun.flags & {"mass", "bare-english", "single"}
            and bool(_roles(noun))
        )

    def _relativise(self, phrase: Phrase, main: Clause) -> None:
        """Give a phrase a relative clause with another verb, in whose frame its noun fits."""
        chance = self.chance
        assert phrase.noun and main.frame
        roles = [role for role in _roles(phrase.noun) if role[0].lemma != main.frame.lemma]
        if not roles:
            return
        frame, role = chance.one(roles)
        pronoun = Phrase(antecedent=phrase, number=phrase.number)
        if role is None:
            clause = self.sample.clause(frame, pronoun, form="relative")
        else:
            subject = self.sample.subject(frame)
            clause = Clause(frame, subject, form="relative")
            for complement in frame.arguments:
                if complement is role:
                    clause.arguments.append(Argument(complement, pronoun))
                elif not complement.optional:
                    clause.arguments.append(self.sample.argument(complement, subject))
        past = main.reading == "past" or main.tense == "preterite" or frame.aspect == "event"
        time = "past" if past or chance.happens(0.3) else "now"
        self.sample.set_time(clause, time, adverb=0.0 if main.adverbials else 0.3)
        phrase.relative = clause

    def _ask(self, clause: Clause) -> None:
        """Put a question word into a clause."""
        chance = self.chance
        fits = [a for a in clause.arguments if _can_be_asked(clause, a)]
        subject = clause.subject
        if is_human(subject) and chance.happens(0.25):
            clause.subject = Phrase(question="wer")
            for argument in clause.arguments:
                # Whose, of someone unknown? Nobody would know.
                if argument.phrase and argument.phrase.determiner == "poss":
                    argument.phrase.possessor = "ich" if argument.phrase.possessor != "wir" else "wir"
            clause.front = clause.subject
        elif fits and chance.happens(0.6):
            argument = chance.one(fits)
            assert argument.phrase
            human = is_human(argument.phrase)
            argument.phrase = Phrase(question="wer" if human else "was")
            clause.front = argument
        else:
            timed = any(_is_time(adverbial) for adverbial in clause.adverbials)
            names = ["warum"] if timed or clause.modal else ["warum", "wann"]
            if clause.reading in ("progressive", "simple"):
                names = ["warum"]
            question = Adverbial(_adverb(chance.one(names)))
            clause.adverbials.append(question)
            clause.front = question

    def _cause(self, time: str, main: Clause) -> Clause:
        """A clause that can explain something."""
        chance = self.chance
        again = self._resumed(main.subject)
        if again and chance.happens(0.45):
            clause = self._is(past=time == "past", subject=again, mood=True)
            clause.form = "sub"
            return clause
        clause = self._below(chance.one(frames_for(time, "reason")), main, 1.0)
        self.sample.set_time(clause, time, adverb=0.1)
        if time == "past":
            clause.tense = "preterite" if _is_state(clause) else main.tense
        return clause

    def _below(self, frame: Frame, main: Clause, again_too: float = 0.7) -> Clause:
        """A subordinate clause, mostly with the subject of the main clause taken up."""
        personal = "person" in frame.subject and self.chance.happens(again_too)
        again = self._resumed(main.subject) if personal else None
        return self.sample.clause(frame, again or self.sample.subject(frame, pronouns=False), form="sub")

    def _is(self, *, past: bool, subject: Phrase | None = None, mood: bool = False) -> Clause:
        chance = self.chance
        lex = lexicon()
        if subject is None:
            noun = chance.one(
                [n for n in lex.nouns if n.kind in lex.by_kind and "mass" not in n.flags and _plain(n)]
            )
            subject = self.sample.noun_phrase(noun, None, plain=True)
            if subject.determiner in ("indef", "none"):
                subject.determiner = "def"
            if is_human(subject) and chance.happens(0.4):
                subject = self.sample.pronoun({"ich": 1.0, "er": 2.0, "sie": 2.0, "wir": 1.0})
            elif is_human(subject) and chance.happens(0.25):
                subject = self.sample.noun_phrase(chance.one(lex.by_class["name"]), None)
        clause = Clause(None, subject, tense="preterite" if past else "present")
        kind = subject.noun.kind if subject.noun and subject.noun.kind in lex.by_kind else "person"
        adjectives = [a for a in lex.by_kind[kind] if not mood or "reason" in a.flags]
        clause.predicate = chance.one(adjectives)
        job = pronoun_for(subject)
        if not mood and job in ("er", "sie") and not (subject.noun and "job" in subject.noun.classes):
            fitting = [n for n in lex.by_class["job"] if n.gender == {"er": "m", "sie": "f"}[job]]
            if subject.pronoun or (subject.noun and "name" in subject.noun.flags):
                clause.predicate = chance.one(fitting) if chance.happens(0.6) else clause.predicate
        return clause

    def _resumed(self, phrase: Phrase) -> Phrase | None:
        """The subject taken up by a pronoun, where there is one."""
        name = pronoun_for(phrase) if is_human(phrase) else ""
        if not name or name == "es":
            return None
        return Phrase(pronoun=name, number=str(lexicon().paradigms["pronouns"][name]["number"]))

    def _with_adjunct(self, main: Clause, below: Clause, first: float) -> Clause:
        if self.chance.happens(first):
            main.before = below
            self._exchange(main, below)
        else:
            main.after = below
        return main

    @staticmethod
    def _exchange(main: Clause, below: Clause) -> None:
        """A name or noun comes before the pronoun that takes it up, also when its clause comes second."""
        if below.subject.pronoun and pronoun_for(main.subject) == below.subject.pronoun and main.subject.noun:
            main.subject, below.subject = below.subject, main.subject


def _plain(noun: Noun) -> bool:
    return (
        noun.kind not in ("name", "part", "wall", "food", "light")
        and noun.lemma not in lexicon().ambiguous_nouns
    )


def _shows_accusative(phrase: Phrase) -> bool:
    return (
        phrase.number == "sg"
        and phrase.noun is not None
        and phrase.noun.gender == "m"
        and not _is_name(phrase.noun)
    )


def _is_name(noun: Noun) -> bool:
    return "name" in noun.flags


def _is_time(adverbial: Adverbial) -> bool:
    return bool(adverbial.classes & {"past", "future", "now", "habit"})


def _is_third(clause: Clause) -> bool:
    return clause.subject.pronoun in ("", "er", "sie", "sie_pl", "es")


def _can_be_asked(clause: Clause, argument: Argument) -> bool:
    phrase, complement = argument.phrase, argument.complement
    if phrase is None or (clause.frame and "swap" in clause.frame.flags):
        return False
    if complement.kind == "acc":
        return phrase.noun is None or phrase.noun.kind != "sport"
    return (
        is_human(phrase)
        and complement.kind in ("prep", "dat")
        and (complement.english != "" or _alone(clause))
    )


def _alone(clause: Clause) -> bool:
    return len(clause.arguments) == 1


def _is_state(clause: Clause) -> bool:
    return clause.frame is None or clause.frame.aspect == "state" or clause.frame.lemma == "haben"


@functools.cache
def _narrowed(complement: Complement, name: str) -> Complement:
    return dataclasses.replace(complement, classes=(name,))


@functools.cache
def _adverb(form: str) -> Adverb:
    return next(adverb for adverb in lexicon().adverbs if adverb.words[0][0] == form)


@functools.cache
def _takers(conjunction: str) -> tuple[Frame, ...]:
    """The frames that take such a clause."""
    return tuple(f for f in lexicon().frames if f.arguments and conjunction in f.arguments[-1].classes)


@functools.cache
def _roles(noun: Noun) -> tuple[tuple[Frame, Complement | None], ...]:
    """The frames that a noun fits in, with its place in each (none: the subject)."""
    found: list[tuple[Frame, Complement | None]] = []
    for frame in frames_for("past"):
        if has_class(noun, frame.subject) and not frame.flags & {"weather", "swap", "news"}:
            found.append((frame, None))
        for complement in frame.arguments:
            place = (
                complement.kind in ("acc", "dat", "prep", "at")
                and not complement.optional
                and not complement.bare
            )
            if place and has_class(noun, complement.classes) and "swap" not in frame.flags:
                found.append((frame, complement))
    return tuple(found)
