"""Portions of a corpus: its first sentences, a random sample, or a split into training, development and test sets.

Sentences are lines of text or trees of CoNLL-U. Parallel files stay parallel.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphmt.corpus.pairs import require_one_side
from graphmt.corpus.sides import Chunk, in_step, read_side
from graphmt.errors import InputError, OptionError
from graphmt.storage.checks import require_outputs
from graphmt.storage.files import AnyPath
from graphmt.storage.together import writing_together


def head(files: Sequence[AnyPath], outs: Sequence[AnyPath], count: int) -> int:
    """Write the first sentences of parallel files.

    Parameters
    ----------
    files
        Text, alignments or CoNLL-U; several files are parallel.
    outs
        An output for each file.
    count
        How many sentences.

    Returns
    -------
    int
        How many were written; fewer if the files are shorter.

    Examples
    --------
    >>> from graphmt.corpus import head
    >>> head(["corpus/train.de.conllu", "corpus/train.en"], ["small.de.conllu", "small.en"], 50)
    50
    """
    _require(files, outs)
    done = 0
    with writing_together(*outs) as streams:
        for chunks in _chunks(files):
            size = len(chunks[0].texts)
            keep = np.arange(done, done + size) < count
            for stream, chunk in zip(streams, chunks, strict=True):
                stream.write(chunk.written(keep))
            done += int(keep.sum())
            if done == count:
                break
    return done


def sample(files: Sequence[AnyPath], outs: Sequence[AnyPath], count: int, *, seed: int = 1) -> int:
    """Write a random sample of parallel files, in the order of the corpus.

    Parameters
    ----------
    files
        Text, alignments or CoNLL-U; several files are parallel.
    outs
        An output for each file.
    count
        How many sentences.
    seed
        Random seed; the same seed gives the same sample.

    Returns
    -------
    int
        How many were written.

    Raises
    ------
    InputError
        If the corpus has fewer sentences.

    Examples
    --------
    >>> from graphmt.corpus import sample
    >>> sample(["corpus/train.de.conllu", "corpus/train.en"], ["small.de.conllu", "small.en"], 20, seed=3)
    20
    """
    _require(files, outs)
    order = _shuffled(files, seed)
    _require_enough(files, len(order), count)
    _write_parts(files, {"sample": order[:count]}, {"sample": list(outs)})
    return count


def split(files: Sequence[AnyPath], out: AnyPath, *, dev: int = 0, test: int = 0, seed: int = 1) -> dict[str, int]:
    """Split parallel files at random into training, development and test sets.

    The sets are written to ``OUT/train``, ``OUT/dev`` and ``OUT/test``, where files keep their names and sentences
    their order.

    Parameters
    ----------
    files
        Text, alignments or CoNLL-U; several files are parallel.
    out
        The folder to write.
    dev
        Sentences of the development set.
    test
        Sentences of the test set.
    seed
        Random seed; the same seed gives the same sets.

    Returns
    -------
    dict[str, int]
        The number of sentences in each set.

    Raises
    ------
    InputError
        If the corpus has too few sentences.

    Examples
    --------
    >>> from graphmt.corpus import split
    >>> split(["corpus/train.de.conllu", "corpus/train.en"], "sets", dev=20, test=20)
    {'train': 160, 'dev': 20, 'test': 20}
    """
    names = [Path(file).name for file in files]
    if twice := [name for name in names if names.count(name) > 1]:
        raise OptionError(f"two files are named {twice[0]}.", hint="The sets keep the names; rename one of them.")
    sizes = {"dev": dev, "test": test}
    if not any(sizes.values()):
        raise OptionError("neither a development nor a test set was requested.", hint="Give --dev N or --test N.")
    outs = {part: [Path(out) / part / name for name in names] for part in ("train", *(p for p in sizes if sizes[p]))}
    _require(files, outs["train"])
    require_outputs(*(path for part in outs.values() for path in part), inputs=files)
    order = _shuffled(files, seed)
    _require_enough(files, len(order), dev + test + 1)
    chosen = {"train": order[dev + test :], "dev": order[:dev], "test": order[dev : dev + test]}
    _write_parts(files, {part: chosen[part] for part in outs}, outs)
    return {part: len(chosen[part]) for part in outs}


def _require(files: Sequence[AnyPath], outs: Sequence[AnyPath]) -> None:
    if len(files) != len(outs):
        raise OptionError(f"{len(files)} files, but {len(outs)} outputs; each file needs one.")
    for path in files:
        require_one_side(path)
    given = [os.path.realpath(path) for path in files if os.fspath(path) != "-"]
    if len(set(given)) < len(given):
        raise OptionError("the same file is given twice.", hint="Give each file once.")
    require_outputs(*outs, inputs=files)


def _require_enough(files: Sequence[AnyPath], size: int, wanted: int) -> None:
    if size < wanted:
        raise InputError(f"{size:,} sentences; at least {wanted:,} are needed.", file=files[0])


def _chunks(files: Sequence[AnyPath]) -> Iterator[tuple[Chunk, ...]]:
    return in_step(files, [read_side(path) for path in files])


def _shuffled(files: Sequence[AnyPath], seed: int) -> list[int]:
    """The numbers of all sentences in random order."""
    if any(os.fspath(path) == "-" for path in files):
        raise OptionError("the corpus is read twice, which is impossible with standard input.", hint="Give files.")
    size = sum(len(chunks[0].texts) for chunks in _chunks(files))
    # Of all methods of Random, only random() is the same in every version of Python.
    draw = random.Random(seed)
    keys = [draw.random() for _ in range(size)]
    return sorted(range(size), key=keys.__getitem__)


def _write_parts(
    files: Sequence[AnyPath], chosen: Mapping[str, Sequence[int]], outs: Mapping[str, Sequence[AnyPath]]
) -> None:
    """Write each part to its outputs in one renaming, so that all belong together."""
    masks = {part: np.asarray(sorted(numbers), dtype=np.int64) for part, numbers in chosen.items()}
    with writing_together(*(path for part in chosen for path in outs[part])) as streams:
        for at, part in enumerate(chosen):
            own = streams[at * len(files) : (at + 1) * len(files)]
            done = 0
            for chunks in _chunks(files):
                size = len(chunks[0].texts)
                keep = _mask(masks[part], done, size)
                for stream, chunk in zip(own, chunks, strict=True):
                    stream.write(chunk.written(keep))
                done += size


def _mask(numbers: NDArray[np.int64], first: int, size: int) -> NDArray[np.bool_]:
    keep = np.zeros(size, dtype=np.bool_)
    inside = numbers[(numbers >= first) & (numbers < first + size)] - first
    keep[inside] = True
    return keep
