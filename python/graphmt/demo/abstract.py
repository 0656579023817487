"""The abstract tree that both sides of a pair are read from: phrases and clauses, without word order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from graphmt.demo.lexicon import Adjective, Adverb, Complement, Frame, Noun


@dataclass(eq=False)
class Phrase:
    """A noun phrase: a noun, a pronoun, a question word (``wer``, ``was``) or a relative pronoun.

    determiner: ``def``, ``indef``, ``poss``, ``dies``, ``kein`` or ``none``.
    """

    noun: Noun | None = None
    pronoun: str = ""
    question: str = ""
    antecedent: Phrase | None = None
    number: str = "sg"
    determiner: str = "none"
    possessor: str = ""
    adjective: Adjective | None = None
    owner: Phrase | None = None
    partner: Phrase | None = None
    relative: Clause | None = None

    @property
    def is_pronoun(self) -> bool:
        """Pronouns stand early in a German clause."""
        return bool(self.pronoun)

    @property
    def is_definite(self) -> bool:
        """Whether the phrase may stand before German adverbs and first in a sentence."""
        return self.determiner in ("def", "poss", "dies") or (self.noun is not None and "name" in self.noun.flags)

    @property
    def agreement(self) -> str:
        """The number that the verb agrees with."""
        return "pl" if self.partner else self.number

    @property
    def key(self) -> str:
        """What stands for the phrase in a combination."""
        if self.antecedent:
            return f"rel:{self.antecedent.key}"
        return self.noun.lemma if self.noun else self.pronoun or self.question


@dataclass(eq=False)
class Argument:
    """A filled place of a frame; a reflexive pronoun has neither phrase nor adverb."""

    complement: Complement
    phrase: Phrase | None = None
    adverb: Adverb | None = None


@dataclass(eq=False)
class Adverbial:
    """One use of an adverb."""

    adverb: Adverb

    @property
    def classes(self) -> frozenset[str]:
        """The classes of its adverb."""
        return self.adverb.classes


#: What can stand first in a German sentence.
Front = Phrase | Argument | Adverbial | None


@dataclass(eq=False)
class Clause:
    """A clause.

    form: ``main``, ``yesno``, ``wh``, ``sub``, ``relative`` or ``zu``.
    tense: ``present``, ``perfect``, ``preterite`` or ``future``.
    A copular clause has a predicate and no frame.
    """

    frame: Frame | None
    subject: Phrase
    form: str = "main"
    tense: str = "present"
    arguments: list[Argument] = field(default_factory=list)
    adverbials: list[Adverbial] = field(default_factory=list)
    predicate: Adjective | Noun | None = None
    modal: str = ""
    conjunction: str = ""
    negated: bool = False
    gern: bool = False
    front: Front = None
    objects_first: bool = False
    extraposed: bool = False
    habitual: bool = False
    complement: Clause | None = None
    before: Clause | None = None
    after: Clause | None = None
    joined: Clause | None = None

    @property
    def phrases(self) -> list[Phrase]:
        """The subject and the phrases of the arguments."""
        return [self.subject, *(argument.phrase for argument in self.arguments if argument.phrase)]

    @property
    def denied(self) -> Phrase | None:
        """The object that carries *kein*."""
        found = [argument.phrase for argument in self.arguments if argument.phrase]
        return next((phrase for phrase in found if phrase.determiner == "kein"), None)

    @property
    def reading(self) -> str:
        """The English tense: ``past``, ``simple``, ``progressive``, ``will`` or ``modal``.

        German leaves open what English must say, so a distant adverb often decides.
        """
        if self.modal:
            return "modal"
        if self.form == "zu":
            return "infinitive"
        if self.tense != "present":
            return "will" if self.tense == "future" else "past"
        times = {name for adverbial in self.adverbials for name in adverbial.classes}
        if self.frame is None or self.frame.aspect in ("state", "habit"):
            return "simple"
        if self.conjunction in ("wenn", "bevor") or self.habitual or self.gern:
            return "simple"
        if "future" in times:
            return "will"
        return "simple" if "habit" in times else "progressive"

    def clauses(self) -> Iterator[Clause]:
        """This clause and all below it."""
        yield self
        for below in (self.complement, self.before, self.after, self.joined):
            if below:
                yield from below.clauses()
        for phrase in self.phrases:
            if phrase.relative:
                yield from phrase.relative.clauses()

    def combination(self) -> tuple[str, ...]:
        """Verb, subject, objects and construction: what held-out pairs do not share with training."""
        verb = (self.frame.lemma, self.frame.english) if self.frame else ("sein", self.predicate_key)
        filled = [a.phrase.key if a.phrase else "" for a in self.arguments]
        front = type(self.front).__name__ if self.front is not None and self.front is not self.subject else ""
        how = (self.form, self.conjunction, self.tense, self.modal, str(self.negated), str(self.gern), front)
        return (*verb, self.subject.key, *filled, *how)

    @property
    def predicate_key(self) -> str:
        """The predicate of a copular clause."""
        return self.predicate.lemma if self.predicate else ""
