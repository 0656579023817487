"""Abstract trees written by hand, and the sentences that the two linearisers make of them."""

from __future__ import annotations

from collections.abc import Callable

from graphmt.demo import english, german
from graphmt.demo.abstract import Adverbial, Argument, Clause, Phrase
from graphmt.demo.lexicon import Adjective, Frame, Noun, lexicon
from graphmt.demo.words import links


def frame(lemma: str, english_verb: str, argument: str = "") -> Frame:
    """The first frame of the two verbs; of several, the one that takes the preposition or kind."""
    found = [f for f in lexicon().frames if (f.lemma, f.english) == (lemma, english_verb)]
    if argument:
        found = [f for f in found if f.arguments and argument in (f.arguments[0].preposition, f.arguments[0].kind)]
    return found[0]


def noun(lemma: str, english_noun: str = "") -> Noun:
    return next(n for n in lexicon().nouns if n.lemma == lemma and english_noun in ("", n.english))


def adjective(lemma: str, english_adjective: str = "") -> Adjective:
    return next(a for a in lexicon().adjectives if a.lemma == lemma and english_adjective in ("", a.english))


def pronoun(name: str) -> Phrase:
    return Phrase(pronoun=name, number=lexicon().paradigms["pronouns"][name]["number"])


def the(lemma: str, english_noun: str = "", **more: object) -> Phrase:
    return Phrase(noun(lemma, english_noun), **{"determiner": "def", **more})  # type: ignore[arg-type]


def a(lemma: str, english_noun: str = "", **more: object) -> Phrase:
    return the(lemma, english_noun, **{"determiner": "indef", **more})


def whose(possessor: str, lemma: str, **more: object) -> Phrase:
    return the(lemma, **{"determiner": "poss", "possessor": possessor, **more})


def bare(lemma: str, **more: object) -> Phrase:
    return the(lemma, **{"determiner": "none", **more})


def when(form: str) -> Adverbial:
    return Adverbial(next(x for x in lexicon().adverbs if " ".join(w[0] for w in x.words) == form))


def clause(verb: Frame, subject: Phrase, *phrases: Phrase, **more: object) -> Clause:
    """A clause whose obligatory places are filled in the order of the frame."""
    made = Clause(verb, subject, **more)  # type: ignore[arg-type]
    rest = list(phrases)
    for complement in verb.arguments:
        if complement.kind == "refl":
            made.arguments.append(Argument(complement))
        elif rest:
            made.arguments.append(Argument(complement, rest.pop(0)))
    assert not rest
    return made


def said(tree: Clause, mark: str = ".") -> tuple[str, str, str]:
    """The German sentence, the English one, and the links (``i-j`` sure, ``ipj`` possible)."""
    source, target = german.sentence(tree, mark), english.sentence(tree, mark)
    sure, possible = links(source, target)
    marked = sorted([(i, j, "-") for i, j in sure] + [(i, j, "p") for i, j in possible])
    written = " ".join(f"{i}{kind}{j}" for i, j, kind in marked)
    return " ".join(w.form for w in source), " ".join(w.form for w in target), written


# Small changes to a clause, each giving it back.


def fronted(tree: Clause, argument: int | None) -> Clause:
    """With an argument first in German (none: the subject)."""
    tree.front = tree.subject if argument is None else tree.arguments[argument]
    return tree


def early(tree: Clause, form: str) -> Clause:
    """With an adverbial added and put first in German."""
    adverbial = when(form)
    tree.adverbials.append(adverbial)
    tree.front = adverbial
    return tree


def and_(tree: Clause, **below: Clause) -> Clause:
    """With clauses below: complement, before, after or joined."""
    for name, value in below.items():
        setattr(tree, name, value)
    return tree


def infinitive(lemma: str, english_verb: str, below: Clause, **more: object) -> Clause:
    """A verb that takes an infinitive with zu."""
    found = [f for f in lexicon().frames if (f.lemma, f.english) == (lemma, english_verb)]
    taker = next(f for f in found if f.arguments and f.arguments[-1].kind == "clause")
    return and_(Clause(taker, below.subject, **more), complement=below)  # type: ignore[arg-type]


def relative(phrase: Phrase, make: Callable[[Phrase], Clause]) -> Phrase:
    """A phrase with a relative clause, made around the relative pronoun."""
    phrase.relative = make(Phrase(antecedent=phrase, number=phrase.number))
    return phrase
