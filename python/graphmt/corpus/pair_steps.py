"""Text preparation of both sides of a parallel corpus together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, Protocol

from graphmt.corpus.pairs import require_one_side
from graphmt.corpus.steps import TextSteps
from graphmt.corpus.text import is_conllu, plain_lines, tokenised
from graphmt.progress import bar, sentences_in
from graphmt.protect import Item
from graphmt.protect.pairs import corresponding
from graphmt.storage.files import AnyPath
from graphmt.storage.together import writing_together

Two = tuple[AnyPath, AnyPath]


class PreparedSide(Protocol):
    """One side of a corpus: its items line by line, and each line prepared for the models."""

    def fitted(self) -> TextSteps:
        """The steps, fitted on the text."""

    def lines(self) -> Iterator[SideLine]:
        """The lines in order."""


class SideLine(NamedTuple):
    """A line of a side: its protected items, and the text for the models if the items with some numbers are typed."""

    items: Sequence[Item]
    text: Callable[[Collection[int]], str]


class PlainSide:
    """Text, or trees whose tokens are kept."""

    def __init__(self, path: AnyPath, steps: TextSteps, *, target: bool = False) -> None:
        require_one_side(path)
        self._path, self._trees = path, is_conllu(path)
        self._steps = (steps.for_tokens() if self._trees else steps).fit(path, target=target)

    def fitted(self) -> TextSteps:
        """The steps, fitted on the text."""
        return self._steps

    def lines(self) -> Iterator[SideLine]:
        """The lines in order."""
        steps = self._steps
        for line in tokenised(self._path) if self._trees else plain_lines(self._path):
            items = steps.items(line)
            yield SideLine(items, lambda typed, line=line, items=items: steps.prepare(line, items, typed).text)  # type: ignore[misc]


def process_pair(
    paths: Two, outs: Two, steps: tuple[TextSteps, TextSteps], source: PreparedSide | None = None
) -> tuple[TextSteps, TextSteps]:
    """Write both sides of a parallel corpus with their steps applied; returns the steps, fitted on the text.

    Only protected items with a counterpart on the other side become typed tokens. If one side is longer, its other
    lines are written as well, so that the next stage reports the difference. ``source`` replaces the source side.
    """
    sides = source or PlainSide(paths[0], steps[0]), PlainSide(paths[1], steps[1], target=True)
    with writing_together(*outs) as streams, bar("lines", sentences_in(paths[0])) as advance:
        for number, pair in enumerate(zip_longest(*(side.lines() for side in sides)), 1):
            typed = corresponding(*([] if line is None else line.items for line in pair))
            for stream, line, own in zip(streams, pair, typed, strict=True):
                if line is not None:
                    stream.write(f"{line.text(own)}\n")
            advance(number)
    fitted = [side.fitted() for side in sides]
    made = [
        dataclasses.replace(one, casings=own.casings, recaser=own.recaser)
        for one, own in zip(steps, fitted, strict=True)
    ]
    return made[0], made[1]


def prepared_references(
    steps: TextSteps, source: TextSteps, sentences: Sequence[str], references: Sequence[str]
) -> list[str]:
    """References prepared as the output of a model: only items that their source has become typed tokens."""
    if not steps.protects:
        return list(map(steps.apply, references))
    made = []
    for sentence, reference in zip(sentences, references, strict=True):
        items = steps.items(reference)
        _, typed = corresponding(source.items(sentence), items) if items else (set(), set())
        made.append(steps.prepare(reference, items, typed).text)
    return made
