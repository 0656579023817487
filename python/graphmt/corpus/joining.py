"""Joining a corpus of several files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from graphmt.corpus.sides import read_side
from graphmt.corpus.text import is_conllu
from graphmt.errors import InputError
from graphmt.storage.files import AnyPath, writing


def join_pairs(sources: Sequence[AnyPath], targets: Sequence[AnyPath], out: tuple[Path, Path]) -> tuple[int, ...]:
    """Concatenate the files of each side; returns the number of the first sentence of each file.

    The files of the two sides are paired in order, and each pair must have the same number of sentences.
    """
    if len(sources) != len(targets):
        raise InputError(f"{len(sources)} source files, {len(targets)} target files; each source file needs a target.")
    counts = [_join(files, path) for files, path in zip((sources, targets), out, strict=True)]
    for source, target, left, right in zip(sources, targets, *counts, strict=True):
        if left != right:
            raise InputError(f"{left:,} sentences; its target {target} has {right:,}.", file=source)
    return tuple(int(first) for first in np.cumsum([0, *counts[0][:-1]]))


def _join(files: Sequence[AnyPath], out: Path) -> list[int]:
    trees = [is_conllu(path) for path in files]
    if len(set(trees)) > 1:
        of, other = files[trees.index(True)], files[trees.index(False)]
        raise InputError(f"this is CoNLL-U, but {os.fspath(other)} is not; a side must have one format.", file=of)
    counts = []
    with writing(out) as stream:
        for path in files:
            count = 0
            for chunk in read_side(path):
                stream.write(chunk.written(np.ones(len(chunk.texts), dtype=np.bool_)))
                count += len(chunk.texts)
            counts.append(count)
    return counts
