"""The origin of sentences in prepared text, so that errors name the user's file and line."""

from __future__ import annotations

import bisect
import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from graphmt.corpus.pairs import has_pairs
from graphmt.corpus.text import is_conllu
from graphmt.errors import GraphmtError
from graphmt.storage.files import AnyPath, lines, name_of


class Origin:
    """The user's files behind a prepared text, which has one line per sentence."""

    def __init__(self, made: Path, files: Sequence[AnyPath], begins: Sequence[int] = ()) -> None:
        self.made, self.files = made, list(files)
        #: The number of the first sentence of each file, from 0.
        self._begins = list(begins) or [0]

    @property
    def name(self) -> str:
        """The files, as named in messages."""
        return ", ".join(map(name_of, self.files))

    @property
    def unit(self) -> str | None:
        """The name of what a line of the prepared text is, if its number is not that of a line of the user's file."""
        return "pair" if len(self.files) == 1 and has_pairs(self.files[0]) else None

    def number(self, line: int) -> int:
        """The number of the unit at a line, from 1."""
        return line

    def find(self, line: int) -> tuple[AnyPath, int | None]:
        """The file and line behind a line of the prepared text, both from 1; None if unknown."""
        if is_conllu(self.made):
            return self.name, None
        number = bisect.bisect_right(self._begins, line - 1) - 1
        path, sentence = self.files[number], line - self._begins[number]
        return path, _line_of_tree(path, sentence) if is_conllu(path) else sentence


class GivenOrigin(Origin):
    """Data that Python code has at hand, written to a file; ``files`` is its name in messages."""

    @property
    def unit(self) -> str | None:
        """A sentence."""
        return "sentence"

    def number(self, line: int) -> int:
        """The number of the sentence at a line of text or CoNLL-U."""
        return _tree_at(self.made, line) if is_conllu(self.made) else line


@contextlib.contextmanager
def named_by_origin(*origins: Origin) -> Iterator[None]:
    """Re-raise errors about prepared texts as errors about the user's files."""
    try:
        yield
    except GraphmtError as error:
        for origin in origins:
            made = os.fspath(origin.made)
            if error.file == made:
                if error.line and origin.unit:
                    number = origin.number(error.line)
                    error.message, error.line = f"{origin.unit} {number:,}: {error.message}", None
                path, error.line = origin.find(error.line) if error.line else (origin.name, None)
                error.file = name_of(path)
            error.message = error.message.replace(made, origin.name)
            error.hint = error.hint and error.hint.replace(made, origin.name)
        raise


def _line_of_tree(path: AnyPath, sentence: int) -> int | None:
    """The first line of a sentence in a CoNLL-U file."""
    trees, inside = 0, False
    for number, line in enumerate(lines(path), 1):
        begins, inside = bool(line.strip()) and not inside, bool(line.strip())
        trees += begins
        if begins and trees == sentence:
            return number
    return None


def _tree_at(path: AnyPath, line: int) -> int:
    """The number of the sentence at a line of a CoNLL-U file."""
    trees, inside = 0, False
    for _, text in zip(range(line), lines(path), strict=False):
        begins, inside = bool(text.strip()) and not inside, bool(text.strip())
        trees += begins
    return trees
