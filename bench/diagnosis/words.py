"""What each word of a text was translated with."""

from __future__ import annotations

from collections.abc import Sequence

from graphmt.model import Translation

#: More linked words than this are no translation of a word.
MOST_WORDS = 3


def by_word(made: Sequence[Translation]) -> dict[tuple[int, int], tuple[str, ...]]:
    """The words that each source word was translated with, by sentence and position; none of words that were copied."""
    found = {}
    for number, best in enumerate(made):
        for step in best.derivation.steps:
            for position in step.positions if step.kind != "copy" else ():
                linked = sorted({t for s, t in step.alignment if s == position})
                if len(linked) <= MOST_WORDS:
                    found[number, position] = tuple(best.tokens[t] for t in linked)
    return found
