"""English noun phrases, prepositional phrases and adverbials."""

from __future__ import annotations

from graphmt.demo import morphology_en as en
from graphmt.demo.abstract import Phrase
from graphmt.demo.lexicon import Adverb, Noun, lexicon
from graphmt.demo.words import Target


def phrase(node: Phrase, role: str, *, bare: bool = False) -> list[Target]:
    """The words of a phrase as ``subject`` or ``object``; ``bare`` leaves its determiner out (by train).

    A relative clause is not among them.
    """
    words = _inner(node, role, bare)
    if node.partner:
        words = [*words, Target("and", ((node, "und"),)), *_inner(node.partner, role, False)]
    return words


def adverb(node: object, entry: Adverb) -> list[Target]:
    """The words of an adverbial."""
    return [
        Target(form, tuple((node, str(i)) for i, to in entry.links if to == j)) for j, form in enumerate(entry.english)
    ]


def relative_pronoun(antecedent: Phrase, role: str, *, after_preposition: bool) -> str:
    """Who, whom, that, or which after a preposition."""
    assert antecedent.noun
    if antecedent.noun.kind in ("person", "friend", "family", "parents", "royal"):
        return "who" if role == "subject" else "whom"
    return "which" if after_preposition else "that"


def _inner(node: Phrase, role: str, bare: bool) -> list[Target]:
    sure = ((node, "noun"),)
    if node.pronoun:
        forms = lexicon().paradigms["pronouns"][node.pronoun]["english"]
        return [Target(forms[0 if role == "subject" else 1], sure)]
    if node.question:
        return [Target("who" if node.question == "wer" else "what", sure)]
    assert node.noun
    words = [Target(form, sure) for form in _noun(node.noun, node.number)]
    if node.adjective:
        words = [Target(node.adjective.english, ((node, "adjective"),)), *words]
    if node.owner:
        # das Auto meines Vaters: the article has no word of its own in my father 's car.
        clitic = Target("'s" if node.owner.number == "sg" else "'", (), ((node, "determiner"), (node.owner, "noun")))
        return [*_inner(node.owner, "object", False), clitic, *words]
    if bare or "bare-english" in node.noun.flags:
        return words
    return [*_determiner(node, words[0].form), *words]


def _noun(noun: Noun, number: str) -> tuple[str, ...]:
    return en.plural(noun) if number == "pl" else tuple(noun.english.split())


def _determiner(node: Phrase, following: str) -> list[Target]:
    assert node.noun
    sure = ((node, "determiner"),)
    if node.determiner == "poss":
        return [Target(lexicon().paradigms["pronouns"][node.possessor]["english"][2], sure)]
    if node.determiner == "def":
        return [Target("the", sure)]
    if node.determiner == "dies":
        return [Target("this" if node.number == "sg" else "these", sure)]
    if "the" in node.noun.flags:
        return [Target("the", (), ((node, "noun"),))]
    countable = node.number == "sg" and "mass" not in node.noun.flags
    if node.determiner == "kein":
        return [Target(en.indefinite(following) if countable else "any", sure)]
    if node.determiner == "indef" and countable:
        return [Target(en.indefinite(following), sure)]
    return []
