"""The memory pairs whose sources have vectors similar to those of the input, by any model that gives vectors."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmt.errors import InputError
from graphmt.evidence.lists import SentenceLists
from graphmt.storage.files import AnyPath, require_regular
from graphmt.storage.temporary import temporary_directory

Vectors = NDArray[np.float32]
#: A function that gives a row for each of some texts.
Encoder = Callable[[Sequence[str]], ArrayLike]

#: Neighbours of a sentence. The core keeps 10, without pairs that are left out.
NEIGHBOURS = 20
#: Similarities computed at a time, 4 bytes each.
BLOCK = 8_000_000
#: Digits of a cosine.
DIGITS = 6
#: Texts encoded at a time.
BATCH = 1024


def nearest_by_cosine(
    queries: ArrayLike,
    vectors: Vectors,
    most: int = NEIGHBOURS,
    *,
    kept: NDArray[np.int64] | None = None,
    block: int = BLOCK,
) -> list[list[tuple[int, float]]]:
    """The rows of a matrix with the largest cosine to each query, the nearest first.

    Of equal cosines the lower number comes first. The matrix is read in blocks and may be a memory-mapped file: besides
    the queries, about ``12 * block`` bytes are in memory.

    Parameters
    ----------
    queries
        A row for each query.
    vectors
        The matrix.
    most
        Maximum number of rows for a query.
    kept
        The only rows that count, in ascending order; they are numbered anew from 0. None: all.
    block
        Similarities computed at a time.

    Returns
    -------
    list[list[tuple[int, float]]]
        For each query the numbers of rows, and their cosines. Rows and queries of zeros are near to nothing.

    Examples
    --------
    >>> from graphmt.evidence import nearest_by_cosine
    >>> import numpy as np
    >>> nearest_by_cosine([[1.0, 0.0]], np.array([[0.0, 1.0], [2.0, 0.0]], dtype=np.float32), most=1)
    [[(1, 1.0)]]
    """
    asked = _normalised(as_matrix(queries, "the vectors of the sentences"))
    if asked.shape[0] and vectors.shape[0] and asked.shape[1] != vectors.shape[1]:
        raise InputError(
            f"vectors with {asked.shape[1]} values for the sentences, and with {vectors.shape[1]} for the memory.",
            hint="Make both with the same model.",
        )
    numbers: NDArray[np.int64] = np.zeros((len(asked), 0), dtype=np.int64)
    cosines: Vectors = np.zeros((len(asked), 0), dtype=np.float32)
    total = len(vectors) if kept is None else len(kept)
    rows = max(1, min(block // max(len(asked), 1), block // max(vectors.shape[1], 1)))
    for start in range(0, total if len(asked) else 0, rows):
        end = min(start + rows, total)
        chosen = vectors[start:end] if kept is None else vectors[kept[start:end]]
        # Without the last digits, which depend on the size of the block: equal cosines stay equal.
        found = np.round(asked @ _normalised(as_matrix(chosen, "the vectors of the memory")).T, DIGITS)
        # The best of this block, joined with those of the blocks before.
        numbers = np.hstack([numbers, np.broadcast_to(np.arange(start, end), found.shape)])
        cosines = np.hstack([cosines, found])
        order = _best(cosines, most)
        numbers, cosines = np.take_along_axis(numbers, order, 1), np.take_along_axis(cosines, order, 1)
    return [
        [(number, cosine) for number, cosine in zip(*row, strict=True) if cosine > 0]
        for row in zip(numbers.tolist(), cosines.tolist(), strict=True)
    ]


def _best(values: Vectors, most: int) -> NDArray[np.int64]:
    """The columns of the largest values of each row, the largest first; of equal ones, the first."""
    if values.shape[1] <= most:
        return np.argsort(-values, axis=1, kind="stable")
    limit = np.partition(values, -most, axis=1)[:, -most]
    found = np.zeros((len(values), most), dtype=np.int64)
    for row, (own, least) in enumerate(zip(values, limit, strict=True)):
        places = np.flatnonzero(own >= least)
        found[row] = places[np.argsort(-own[places], kind="stable")][:most]
    return found


def as_matrix(values: ArrayLike, name: str) -> Vectors:
    """Numbers in rows, one for each sentence."""
    try:
        made = np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError):
        raise InputError(f"{name} are not numbers.") from None
    if made.ndim == 1 and not len(made):
        made = made.reshape(0, 0)
    if made.ndim != 2:
        raise InputError(f"{name} have {made.ndim} dimensions; expected a row for each sentence.")
    if not np.isfinite(made).all():
        raise InputError(f"{name} contain infinite or undefined numbers.")
    return made


def _normalised(values: Vectors) -> Vectors:
    # The largest value first: squares of large values overflow.
    largest = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    scaled = values / np.where(largest > 0, largest, np.float32(1))
    lengths = np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))
    return np.asarray(scaled / np.where(lengths > 0, lengths, np.float32(1)), dtype=np.float32)


@dataclasses.dataclass(frozen=True)
class MemoryVectors:
    """The vectors of the sources of a memory, a row for each pair."""

    values: Vectors
    #: Makes those of other texts; None: they are given with the sentences.
    encode: Encoder | None = None
    #: The only pairs that count, in ascending order; None: all.
    kept: NDArray[np.int64] | None = None
    #: Holds a temporary file as long as it is used.
    folder: tempfile.TemporaryDirectory[str] | None = None

    def __len__(self) -> int:
        return len(self.values) if self.kept is None else len(self.kept)

    @classmethod
    def encoded(cls, texts: Iterable[str], encode: Encoder, number: int) -> MemoryVectors:
        """The vectors of ``number`` texts by a function, in a temporary file."""
        folder, rest, values, done = temporary_directory("vectors"), iter(texts), None, 0
        while batch := list(islice(rest, BATCH)):
            made = encoded_texts(batch, encode)
            if values is None:
                path = Path(folder.name) / "vectors.npy"
                shape = (number, made.shape[1])
                values = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
            values[done : done + len(batch)] = made
            done += len(batch)
        return cls(np.zeros((0, 0), dtype=np.float32) if values is None else values, encode, folder=folder)

    def only(self, kept: NDArray[np.int64] | None) -> MemoryVectors:
        """Those of some pairs, or of all."""
        return dataclasses.replace(self, kept=kept)

    def neighbours(self, lists: SentenceLists) -> SentenceLists:
        """Sentences with their nearest pairs."""
        if lists.vectors is not None:
            queries = lists.vectors
        elif self.encode is not None:
            queries = encoded_texts(lists.sources, self.encode)
        else:
            raise InputError("the memory has vectors, the sentences have none.", hint="Give those of the sentences.")
        if len(queries) != len(lists.sources):
            raise InputError(f"{len(queries)} vectors for {len(lists.sources)} sentences.")
        return dataclasses.replace(lists, by_vectors=nearest_by_cosine(queries, self.values, kept=self.kept))


def encoded_texts(texts: Sequence[str], encode: Encoder) -> Vectors:
    """The vectors of some texts by a function, a batch at a time."""
    made = [as_matrix(encode(texts[at : at + BATCH]), "the vectors") for at in range(0, len(texts), BATCH)]
    found = np.vstack(made) if made else np.zeros((0, 0), dtype=np.float32)
    if len(found) != len(texts):
        raise InputError(f"the function gave {len(found)} vectors for {len(texts)} texts.")
    return found


def read_vectors(path: AnyPath) -> Vectors:
    """A matrix in a .npy file, mapped into memory.

    Parameters
    ----------
    path
        The file, as ``numpy.save`` writes it: two dimensions, a row for each sentence.

    Returns
    -------
    NDArray[np.float32]
        The matrix; with other types than ``float32``, its blocks are converted as they are used.

    Examples
    --------
    >>> import numpy as np
    >>> from graphmt.evidence import read_vectors
    >>> np.save("vectors.npy", np.ones((3, 8), dtype=np.float32))
    >>> read_vectors("vectors.npy").shape
    (3, 8)
    """
    require_regular(path)
    try:
        found = np.load(os.fspath(path), mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise InputError("no such file.", file=path) from None
    except (OSError, ValueError, EOFError):
        raise InputError(
            "not a matrix in the format .npy.", file=path, hint="Write it with numpy.save, a row for each sentence."
        ) from None
    if not isinstance(found, np.ndarray) or found.ndim != 2 or found.dtype.kind not in "fiu":
        shape = f"{found.ndim} dimensions of {found.dtype}" if isinstance(found, np.ndarray) else "several arrays"
        raise InputError(f"{shape}; expected two dimensions of numbers, a row for each sentence.", file=path)
    return found
