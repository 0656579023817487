"""The source side of a corpus that was parsed as raw text, prepared as translation prepares its input."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from graphmt.corpus.conllu import Tree, read_trees
from graphmt.corpus.pair_steps import SideLine
from graphmt.corpus.parsers.stand_ins import HiddenLine, hide
from graphmt.corpus.steps import TextSteps
from graphmt.corpus.text import plain_lines
from graphmt.protect.marks import MARK
from graphmt.storage.files import AnyPath


class ParsedFile(NamedTuple):
    """Trees, and the raw text that they were parsed from; None if the trees were given."""

    trees: AnyPath
    text: AnyPath | None


class ParsedSide:
    """Raw text with its trees, in which each protected item is one node."""

    def __init__(self, files: Sequence[ParsedFile], steps: TextSteps) -> None:
        self._files, self._given, self._plain = files, steps, steps.for_tokens()
        self._fitted = dataclasses.replace(steps, casings=self._plain.fit(self._marked()).casings)

    def fitted(self) -> TextSteps:
        """The steps, fitted on the text."""
        return self._fitted

    def lines(self) -> Iterator[SideLine]:
        """The lines in order."""
        for tree, line in self._pairs():
            yield self._parsed(tree, line) if line is not None else self._of_tree(tree)

    def _parsed(self, tree: Tree, line: HiddenLine) -> SideLine:
        places = line.places(tree)
        return SideLine(
            line.items,
            lambda typed: self._fitted.prepare_parsed(line.line, tree, line.items, places, typed).text,
        )

    def _of_tree(self, tree: Tree) -> SideLine:
        steps = dataclasses.replace(self._plain, casings=self._fitted.casings)
        items = steps.items(tree.text)
        return SideLine(items, lambda typed: steps.prepare(tree.text, items, typed).text)

    def _marked(self) -> Iterator[str]:
        """The tokens, with a mark for each item."""
        for tree, line in self._pairs():
            tokens = list(tree.tokens)
            for place in [] if line is None else line.places(tree):
                tokens[place] = MARK
            yield " ".join(tokens)

    def _pairs(self) -> Iterator[tuple[Tree, HiddenLine | None]]:
        for file in self._files:
            trees = read_trees(file.trees)
            if file.text is None:
                yield from ((tree, None) for tree in trees)
            else:
                texts = plain_lines(file.text)
                yield from ((tree, hide(text, self._given)) for tree, text in zip(trees, texts, strict=True))


def texts_of(files: Sequence[ParsedFile]) -> list[Path]:
    """The raw texts among the files."""
    return [Path(file.text) for file in files if file.text is not None]
