"""The parts that productions are put together from: timed clauses, relative clauses, questions, causes."""

from __future__ import annotations

import dataclasses
import functools

from graphmt.demo.abstract import Adverbial, Argument, Clause, Front, Phrase
from graphmt.demo.chance import Chance
from graphmt.demo.lexicon import Adverb, Complement, Frame, Noun, lexicon
from graphmt.demo.sampling import Sampler, frames_for, has_class, is_human, pronoun_for

#: How often a clause is of which time.
TIMES = {"past": 38.0, "now": 26.0, "habit": 9.0, "future": 13.0, "modal": 14.0}
_QUESTION_TIMES = {"past": 45.0, "now": 25.0, "future": 15.0, "modal": 15.0}
_UNCLEAR = frozenset({"sie", "sie_pl", "es", "ihr"})


class Parts:
    """Draws parts of sentences."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.sample = Sampler(chance)

    def timed(self, time: str, *, form: str = "main", flag: str = "", without: str = "", adverb: float = 0.5) -> Clause:
        """A clause of a time, with an adverb by some probability."""
        clause = self.sample.clause(self.chance.one(frames_for(time, flag, without)), form=form)
        self.sample.set_time(clause, time, adverb)
        return clause

    def by_someone(self, time: str, adverb: float) -> Clause:
        """A clause about a person whom the next clause can take up; one does not tell *you* what you did."""
        while True:
            self.sample.begin()
            clause = self.timed(time, without="swap", adverb=adverb)
            if self.resumed(clause.subject) and clause.subject.pronoun not in ("du", "ihr"):
                return clause

    def asked(self, form: str, adverb: float) -> Clause:
        """A clause for a question: not of the speaker, who would know, nor of just anyone."""
        clause = self.timed(self.chance.weighted(_QUESTION_TIMES), form=form, adverb=adverb)
        while clause.subject.pronoun in ("ich", "wir"):
            clause = self.timed(self.chance.weighted(_QUESTION_TIMES), form=form, adverb=adverb)
        if clause.subject.determiner == "indef":
            clause.subject.determiner = "def"
        return clause

    def front(self, clause: Clause) -> Front:
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
        clear = [argument for argument in clause.arguments if self.is_clear(clause, argument)]
        if clear and chance.happens(0.6):
            return chance.one(clear)
        return None

    def is_clear(self, clause: Clause, argument: Argument) -> bool:
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
    def front_adverbs(clause: Clause) -> None:
        """Keep only an adverbial that both languages can put first, and put it there."""
        early = [a for a in clause.adverbials if "pre" in a.adverb.place]
        first = [a for a in clause.adverbials if "front" in a.adverb.place and a not in early][:1]
        clause.adverbials = early + first
        clause.front = first[0] if first else None
        if clause.tense == "present" and not clause.modal and not clause.adverbials:
            clause.tense = "future" if clause.frame and clause.frame.aspect == "event" else "present"

    def can_bear(self, phrase: Phrase) -> bool:
        """Whether a phrase can have a relative clause."""
        noun = phrase.noun
        return (
            noun is not None
            and phrase.determiner in ("def", "indef", "dies")
            and not phrase.owner
            and not noun.flags & {"mass", "bare-english", "single"}
            and bool(_roles(noun))
        )

    def relativise(self, phrase: Phrase, main: Clause) -> None:
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
            while role.kind == "acc" and not (_shows_accusative(phrase) or _shows_nominative(subject)):
                # Die Frau, die Anna sah: who saw whom?
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

    def ask(self, clause: Clause) -> None:
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
            if clause.reading in ("progressive", "simple") or is_state(clause):
                names = ["warum"]
            question = Adverbial(adverb(chance.one(names)))
            clause.adverbials.append(question)
            clause.front = question

    def cause(self, time: str, main: Clause) -> Clause:
        """A clause that can explain something."""
        chance = self.chance
        again = self.resumed(main.subject)
        if again and chance.happens(0.45):
            clause = self.copula(past=time == "past", subject=again, mood=True)
            clause.form = "sub"
            return clause
        clause = self.below(chance.one(frames_for(time, "reason")), main, 1.0)
        self.sample.set_time(clause, time, adverb=0.1)
        if time == "past":
            clause.tense = "preterite" if is_state(clause) else main.tense
        return clause

    def below(self, frame: Frame, main: Clause, again_too: float = 0.7) -> Clause:
        """A subordinate clause, mostly with the subject of the main clause taken up."""
        personal = "person" in frame.subject and self.chance.happens(again_too)
        again = self.resumed(main.subject) if personal else None
        return self.sample.clause(frame, again or self.sample.subject(frame, pronouns=False), form="sub")

    def copula(self, *, past: bool, subject: Phrase | None = None, mood: bool = False) -> Clause:
        """Somebody or something is so; ``mood``: somebody feels so."""
        chance = self.chance
        lex = lexicon()
        if subject is None:
            noun = chance.one([n for n in lex.nouns if n.kind in lex.by_kind and "mass" not in n.flags and _plain(n)])
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

    def resumed(self, phrase: Phrase) -> Phrase | None:
        """The subject taken up by a pronoun, where there is one."""
        name = pronoun_for(phrase) if is_human(phrase) else ""
        if not name or name == "es":
            return None
        return Phrase(pronoun=name, number=str(lexicon().paradigms["pronouns"][name]["number"]))

    def with_adjunct(self, main: Clause, below: Clause, first: float) -> Clause:
        """Put a subordinate clause before the main clause (with probability ``first``) or after it."""
        if self.chance.happens(first):
            main.before = below
            self.exchange(main, below)
        else:
            main.after = below
        return main

    @staticmethod
    def exchange(main: Clause, below: Clause) -> None:
        """A name or noun comes before the pronoun that takes it up, also when its clause comes second."""
        if below.subject.pronoun and pronoun_for(main.subject) == below.subject.pronoun and main.subject.noun:
            main.subject, below.subject = below.subject, main.subject


def _plain(noun: Noun) -> bool:
    return noun.kind not in ("name", "part", "wall", "food", "light") and noun.lemma not in lexicon().ambiguous_nouns


def _shows_nominative(phrase: Phrase) -> bool:
    if phrase.pronoun:
        return phrase.pronoun not in _UNCLEAR
    return _shows_accusative(phrase)


def _shows_accusative(phrase: Phrase) -> bool:
    return phrase.number == "sg" and phrase.noun is not None and phrase.noun.gender == "m" and not _is_name(phrase.noun)


def _is_name(noun: Noun) -> bool:
    return "name" in noun.flags


def _is_time(adverbial: Adverbial) -> bool:
    return bool(adverbial.classes & {"past", "future", "now", "habit"})


def is_third(clause: Clause) -> bool:
    """Whether the subject is of the third person, of whom one tells stories in the preterite."""
    return clause.subject.pronoun in ("", "er", "sie", "sie_pl", "es")


def _can_be_asked(clause: Clause, argument: Argument) -> bool:
    phrase, complement = argument.phrase, argument.complement
    frame = clause.frame
    if phrase is None or frame is None or "swap" in frame.flags or frame.lemma in lexicon().ambiguous_verbs:
        # Was hat er aufgegeben? Without the object nobody can tell what the verb means.
        return False
    if complement.kind == "acc":
        return phrase.noun is None or phrase.noun.kind != "sport"
    return is_human(phrase) and complement.kind in ("prep", "dat") and (complement.english != "" or _alone(clause))


def _alone(clause: Clause) -> bool:
    return len(clause.arguments) == 1


def is_state(clause: Clause) -> bool:
    """Whether the verb is one whose past is the preterite in speech too."""
    return clause.frame is None or clause.frame.aspect == "state" or clause.frame.lemma == "haben"


@functools.cache
def narrowed(complement: Complement, name: str) -> Complement:
    """A place of a frame that takes only one class of nouns."""
    return dataclasses.replace(complement, classes=(name,))


@functools.cache
def adverb(form: str) -> Adverb:
    """An adverb by its first word."""
    return next(adverb for adverb in lexicon().adverbs if adverb.words[0][0] == form)


@functools.cache
def takers(conjunction: str) -> tuple[Frame, ...]:
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
            place = complement.kind in ("acc", "dat", "prep", "at") and not complement.optional and not complement.bare
            if place and has_class(noun, complement.classes) and not frame.flags & {"swap", "stiff"}:
                found.append((frame, complement))
    return tuple(found)
