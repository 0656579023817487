"""Protected text and parsers: each item is a made-up word for the parser, and one node of the tree."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from graphmt.corpus.conllu import Tree
from graphmt.corpus.parsers.base import Parser
from graphmt.corpus.parsers.running import parse_lines
from graphmt.corpus.steps import TextOptions, TextSteps
from graphmt.protect import Item


class HiddenLine(NamedTuple):
    """A line whose items are replaced by a word that it does not contain."""

    line: str
    items: list[Item]
    name: str
    text: str

    def places(self, tree: Tree) -> list[int]:
        """The nodes of the items in the tree of ``text``."""
        return [place for place, token in enumerate(tree.tokens) if token == self.name] if self.items else []

    def is_whole_in(self, tree: Tree) -> bool:
        """Whether the tree has one node for each item: the parser neither split one nor joined it to a word."""
        return len(self.places(tree)) == len(self.items)


def hide(line: str, steps: TextSteps) -> HiddenLine:
    """A line for the parser; ``steps`` find its protected items."""
    name = "Qzx"
    while name.lower() in line.lower():
        name += "x"
    items = steps.items(line)
    parts, done = [], 0
    for item in items:
        parts += [line[done : item.start], f" {name} "]
        done = item.end
    return HiddenLine(line, items, name, "".join([*parts, line[done:]]))


def tokeniser_of(text: TextOptions) -> Callable[[str], str]:
    """The function that splits a line into tokens before it is parsed; case and protected text are not changed."""
    return TextSteps(text.replace(tokenise=True, case="none", protect="none", patterns=())).apply


class HiddenLines:
    """The lines of a text on their way through a parser, in order."""

    def __init__(self, steps: TextSteps, again: Callable[[str], Tree]) -> None:
        self._steps, self._again = steps, again
        self._waiting: deque[HiddenLine] = deque()

    def hidden(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines for the parser."""
        for line in lines:
            self._waiting.append(hide(line, self._steps))
            yield self._waiting[-1].text

    def skip(self) -> None:
        """Forget the lines so far, which are not parsed."""
        self._waiting.clear()

    def checked(self, trees: Iterable[Tree]) -> Iterator[Tree]:
        """The trees of the lines; a line in which an item is no node of its own is parsed again as tokens."""
        for tree in trees:
            line = self._waiting.popleft()
            yield tree if line.is_whole_in(tree.surface()) else self._again(line.text)


def parse_tokens(parser: Parser, texts: Sequence[str], text: TextOptions) -> list[Tree]:
    """The trees of texts that are tokenised here rather than by the parser."""
    return parse_lines(parser, list(map(tokeniser_of(text), texts)), tokenised=True)
