"""Alignment files: one line per sentence pair, ``0-0 1-2`` (source-target), plain or compressed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from graphmt._core import Alignment
from graphmt.errors import InputError
from graphmt.storage.files import AnyPath, lines, writing

Lengths = npt.NDArray[np.uint32]
T = TypeVar("T")

#: Lines passed to the core at once: enough to amortise the call, few enough to keep memory low.
BLOCK = 8192


def blocks(items: Iterable[T], size: int = BLOCK) -> Iterator[list[T]]:
    """Lists of at most ``size`` items."""
    rest = iter(items)
    while block := list(itertools.islice(rest, size)):
        yield block


def read_alignment(
    path: AnyPath,
    *,
    one_based: bool = False,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
) -> Alignment:
    """Read the links of a file, one line per sentence pair: ``0-0 1-2``, with ``1p2`` or ``1?2`` for possible links.

    Parameters
    ----------
    path
        The file, plain or compressed.
    one_based
        Positions in the file start at 1.
    source_lengths
        Numbers of words of the source sentences, against which positions are checked.
    target_lengths
        The same for the target sentences.

    Returns
    -------
    Alignment
        Links with positions from 0.

    Raises
    ------
    InputError
        If a line is not a list of links, or a position is outside its sentence.

    Examples
    --------
    >>> from graphmt.align import read_alignment
    >>> len(read_alignment("corpus/train.align"))
    200
    """
    alignment = Alignment()
    expected = {len(lengths) for lengths in (source_lengths, target_lengths) if lengths is not None}
    if len(expected) > 1:
        raise InputError(f"source and target have {' and '.join(map(str, sorted(expected)))} sentences.")
    for block in blocks(lines(path)):
        try:
            if expected and len(alignment) + len(block) > min(expected):
                block = block[: min(expected) - len(alignment)]
                alignment.add_lines(block, one_based, source_lengths, target_lengths)
                raise InputError(
                    f"more lines than the text has sentences ({min(expected)}).",
                    line=min(expected) + 1,
                    hint="Check that alignment and text belong together.",
                )
            alignment.add_lines(block, one_based, source_lengths, target_lengths)
        except InputError as error:
            error.file = str(path)
            raise
    if expected and len(alignment) < min(expected):
        raise InputError(
            f"ends after {len(alignment)} lines, but the text has {min(expected)} sentences.",
            file=path,
            hint="Check that alignment and text belong together.",
        )
    return alignment


def write_alignment(alignment: Alignment, path: AnyPath) -> None:
    """Write links with positions from 0, whole or not at all; the end of the name compresses.

    Parameters
    ----------
    alignment
        The links.
    path
        The file to write.

    Examples
    --------
    >>> from graphmt.align import read_alignment, write_alignment
    >>> write_alignment(read_alignment("aligned.gz"), "links.txt")
    """
    with writing(path) as stream:
        for start in range(0, len(alignment), BLOCK):
            stream.write(alignment.text(start, start + BLOCK))
