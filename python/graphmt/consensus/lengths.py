"""Lengths of the files of a run against each other, before any work is done."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from graphmt.consensus.combination import ListStream
from graphmt.corpus import tokenised
from graphmt.errors import InputError
from graphmt.evidence.vectors import Vectors
from graphmt.nbest import count_lists
from graphmt.reprs import counted
from graphmt.storage.files import AnyPath, name_of


def require_length(found: int, what: str, lists: int, file: AnyPath | None = None) -> None:
    """Reject other than one sentence, reference or vector for each list."""
    if found != lists:
        raise InputError(
            f"{counted(found, what)} for {counted(lists, 'n-best list')}.",
            file=file,
            hint="There must be one for each list, in the same order.",
        )


def is_readable_twice(path: AnyPath | None) -> bool:
    """Whether a path is a file; standard input and pipes can be read only once."""
    return path is not None and Path(os.fspath(path)).is_file()


def count_sentences(path: AnyPath) -> int:
    """The number of sentences of a text."""
    return sum(1 for _ in tokenised(path))


def check_lists(
    paths: Sequence[AnyPath],
    source: AnyPath | None,
    vectors: Vectors | None,
    *,
    without: Sequence[str],
    format: str | None,
    list_size: int | None,
) -> None:
    """Compare lists of one or several systems, their source and its vectors, as far as they can be read twice.

    All lists are read, so that a damaged line is found as well.
    """
    sentences = count_sentences(source) if source is not None and is_readable_twice(source) else None
    if sentences is not None and vectors is not None and len(vectors) != sentences:
        raise InputError(f"{counted(len(vectors), 'vector')} for {counted(sentences, 'sentence')}.", file=source)
    if sentences is None and vectors is None and len(paths) == 1:
        return
    first: int | None = None
    for path in filter(is_readable_twice, paths):
        lists = count_lists(path, without=without, format=format, list_size=list_size)
        if first is not None and lists != first:
            raise InputError(
                f"{counted(lists, 'n-best list')}; {name_of(paths[0])} has {first:,}.",
                file=path,
                hint="Every system needs a list for each sentence.",
            )
        first = lists
        if sentences is not None:
            require_length(sentences, "sentence", lists, source)
        elif vectors is not None:
            require_length(len(vectors), "vector", lists)


def check_dev(
    lists: ListStream, source: AnyPath, references: Sequence[AnyPath], vectors: Vectors | None = None
) -> None:
    """Compare the lists of a development set, all of which are read, with the rest of it."""
    number = len(lists.sample(sys.maxsize))
    if is_readable_twice(source):
        require_length(count_sentences(source), "sentence", number, source)
    for path in filter(is_readable_twice, references):
        require_length(count_sentences(path), "reference", number, path)
    if vectors is not None:
        require_length(len(vectors), "vector", number)


def check_widths(*vectors: Vectors | None) -> None:
    """Reject vectors of several models."""
    widths = {one.shape[1]: None for one in vectors if one is not None and len(one)}
    if len(widths) > 1:
        raise InputError(
            f"vectors with {' and '.join(map(str, widths))} values.", hint="Make all of them with the same model."
        )
