"""The pairs of a memory, to be read several times."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphmt.errors import InputError
from graphmt.storage.files import lines
from graphmt.storage.temporary import temporary_directory

#: Pairs by which the case of a memory is judged.
SAMPLE = 1000


class MemoryPairs:
    """Tokenised (source, target) pairs in temporary files, which are removed with this object.

    An index, a language model and an alignment each read them; in memory they would take several times their size.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]], *, name: str | None = None) -> None:
        self._folder: tempfile.TemporaryDirectory[str] = temporary_directory("memory")
        folder = Path(self._folder.name)
        self.source, self.target = folder / "source", folder / "target"
        self._number = 0
        #: The numbers of these pairs in the memory that they were taken from; None: these are all.
        self.kept: NDArray[np.int64] | None = None
        with (
            self.source.open("w", encoding="utf-8", newline="\n") as sources,
            self.target.open("w", encoding="utf-8", newline="\n") as targets,
        ):
            for source, target in pairs:
                sources.write(f"{_one_line(source)}\n")
                targets.write(f"{_one_line(target)}\n")
                self._number += 1
        #: The number of pairs of that memory.
        self.whole = self._number
        if not self._number:
            raise InputError("the translation memory is empty.", file=name)

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return zip(lines(self.source), lines(self.target), strict=True)

    def without(self, sources: Collection[str]) -> MemoryPairs:
        """The pairs except those with one of these sources, compared in lower case."""
        held = {plain_source(source) for source in sources}
        kept: list[int] = []

        def pairs() -> Iterator[tuple[str, str]]:
            for number, pair in enumerate(self):
                if plain_source(pair[0]) not in held:
                    kept.append(number)
                    yield pair

        made = MemoryPairs(pairs())
        made.kept, made.whole = np.array(kept, dtype=np.int64), self.whole
        return made

    def references(self, sources: Collection[str]) -> dict[str, list[str]]:
        """The translations of these sources, which are compared in lower case."""
        found: dict[str, list[str]] = {plain_source(source): [] for source in sources}
        for source, target in self:
            own = found.get(plain_source(source))
            if own is not None and target not in own:
                own.append(target)
        return found

    def sample(self) -> list[tuple[str, str]]:
        """The first pairs."""
        return list(itertools.islice(self, SAMPLE))


def plain_source(source: str) -> str:
    """A source in lower case with single spaces, to be compared with others."""
    return " ".join(source.lower().split())


def _one_line(text: str) -> str:
    return " ".join(text.split())
