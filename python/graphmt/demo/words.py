"""The words of the two sides while a sentence pair is being built.

Both sides are read off one abstract tree. A German word stands in a *slot*, a place of that tree such as the
determiner of a noun phrase; an English word names the slots it translates. Words that meet in a slot are
linked, so the two linearisers never have to know each other's word order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: A node of the abstract tree and a role in it.
Slot = tuple[object, str]


@dataclass(eq=False, slots=True)
class Word:
    """A German word: its analysis, its place in the tree (``head`` is ``None`` at the root) and its slots.

    Most words have one slot; *im* stands for a preposition and an article.
    """

    form: str
    lemma: str
    upos: str
    deprel: str
    slots: tuple[Slot, ...]
    head: Word | None = None

    @property
    def is_comma(self) -> bool:
        """Commas are put down at both ends of a clause and thinned out when the sentence is whole."""
        return self.form == ","


@dataclass(eq=False, slots=True)
class Target:
    """An English word and the slots it translates: surely, or only possibly (function words, auxiliaries)."""

    form: str
    sure: tuple[Slot, ...] = ()
    possible: tuple[Slot, ...] = ()


Links = frozenset[tuple[int, int]]


def links(source: Sequence[Word], target: Sequence[Target]) -> tuple[Links, Links]:
    """The sure links and the merely possible ones, as pairs of positions."""
    places: dict[Slot, list[int]] = {}
    for i, word in enumerate(source):
        for slot in word.slots:
            places.setdefault(slot, []).append(i)
    sure = {(i, j) for j, word in enumerate(target) for slot in word.sure for i in places.get(slot, ())}
    possible = {(i, j) for j, word in enumerate(target) for slot in word.possible for i in places.get(slot, ())}
    return frozenset(sure), frozenset(possible - sure)


def attach(word: Word, head: Word) -> Word:
    """Hang a word below its head."""
    word.head = head
    return word
