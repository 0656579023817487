"""The sides of a parallel corpus, read in parallel chunks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import compress, zip_longest
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graphmt import _core
from graphmt.corpus.documents import KeptMarks
from graphmt.errors import InputError
from graphmt.reprs import counted
from graphmt.storage.files import AnyPath

#: Sentences read at a time: the memory of a streaming stage.
CHUNK = 4096


class Chunk(Protocol):
    """Some sentences of one side."""

    @property
    def texts(self) -> Sequence[str]:
        """The sentences as text, their words separated by white space."""

    @property
    def faults(self) -> Sequence[_core.TreeFault]:
        """The positions of faulty sentences, with the reason."""

    def written(self, keep: NDArray[np.bool_]) -> str:
        """The sentences to keep, as in their file."""


class TextChunk:
    """Lines of a text."""

    faults: Sequence[_core.TreeFault] = ()

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def written(self, keep: NDArray[np.bool_]) -> str:
        """The lines to keep."""
        return "".join(f"{line}\n" for line in compress(self.texts, keep))


class TreesChunk:
    """Sentences of a CoNLL-U file; multiword tokens count as one word, and are written unchanged."""

    def __init__(self, trees: _core.TreeChunk, marks: KeptMarks) -> None:
        self.trees = trees
        self.texts: Sequence[str] = trees.tokens()
        self.faults: Sequence[_core.TreeFault] = trees.faults()
        self._marks = marks

    def written(self, keep: NDArray[np.bool_]) -> str:
        """The sentences to keep, unchanged; document marks are kept even if their sentence is dropped."""
        return self._marks.written(self.trees, keep)


def read_side(path: AnyPath, *, lenient: bool = False) -> Iterator[Chunk]:
    """Chunks of a text or CoNLL-U file. ``lenient`` records bad trees in ``faults`` instead of raising an error."""
    marks = KeptMarks()
    for chunk in _core.open_corpus(path, chunk=CHUNK, lenient=lenient):
        yield TextChunk(chunk) if isinstance(chunk, list) else TreesChunk(chunk, marks)


def in_step(paths: Sequence[AnyPath], sides: Sequence[Iterator[Chunk]]) -> Iterator[tuple[Chunk, ...]]:
    """Parallel chunks; files with different numbers of sentences are rejected."""
    done = 0
    for chunks in zip_longest(*sides):
        sizes = [0 if chunk is None else len(chunk.texts) for chunk in chunks]
        if len(set(sizes)) > 1:
            counts = [
                done + size + sum(len(chunk.texts) for chunk in side) if size else done
                for size, side in zip(sizes, sides, strict=True)
            ]
            raise _out_of_step([os.fspath(path) for path in paths], counts)
        done += sizes[0]
        yield chunks


def require_parallel(paths: Sequence[AnyPath]) -> None:
    """Reject files that cannot be read or have different numbers of sentences."""
    for _ in in_step(paths, [read_side(path) for path in paths]):
        pass


def _out_of_step(names: Sequence[str], counts: Sequence[int]) -> InputError:
    short = counts.index(min(counts))
    long = counts.index(max(counts))
    return InputError(
        f"{names[short]} ends after {counted(counts[short], 'sentence')}, {names[long]} has {counts[long]:,}: "
        f"number {counts[short] + 1:,} of {names[long]} has no counterpart.",
        hint="Parallel files must have one sentence per line (CoNLL-U: one tree), and the same number of sentences.",
    )
