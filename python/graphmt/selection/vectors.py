"""Word vectors from co-occurrence: a truncated singular value decomposition of positive PMI."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

#: Rounds of subspace iteration, and additional vectors it uses; both improve accuracy.
ROUNDS, MORE = 12, 10

#: Matrix entries multiplied at a time.
BLOCK = 1 << 16


def word_vectors(
    offsets: npt.NDArray[Any], neighbours: npt.NDArray[Any], counts: npt.NDArray[Any], dimensions: int, seed: int = 1
) -> Array:
    """A vector for each word; row k of the symmetric counts is ``offsets[k]:offsets[k + 1]``.

    With M = U S Vᵀ, M being max(0, ln p(a,b) / (p(a) p(b))), the vectors are the first columns of U √S. Words without
    a positive entry have the vector 0. There are at most as many dimensions as words.
    """
    bounds = offsets.astype(np.int64)
    words = len(bounds) - 1
    rows = np.repeat(np.arange(words), np.diff(bounds))
    columns, seen = neighbours.astype(np.int64), counts.astype(np.float64)
    of_word = np.bincount(rows, seen, minlength=words)
    pmi = np.log(seen * max(seen.sum(), 1.0) / np.maximum(of_word[rows] * of_word[columns], 1.0))
    kept = pmi > 0
    rows, columns, pmi = rows[kept], columns[kept], pmi[kept].astype(np.float32)
    taken = min(dimensions, words)
    basis = np.random.default_rng(seed).standard_normal((words, min(taken + MORE, words))).astype(np.float32)
    for _ in range(ROUNDS):
        basis = np.linalg.qr(_product(rows, columns, pmi, basis))[0]
    # M is symmetric: its singular values are the absolute eigenvalues, which are computed within the subspace.
    within = basis.T @ _product(rows, columns, pmi, basis)
    values, turns = np.linalg.eigh((within + within.T) / 2)
    first = np.argsort(-np.abs(values))[:taken]
    found = np.asarray((basis @ turns[:, first]) * np.sqrt(np.abs(values[first])), dtype=np.float32)
    alone = np.bincount(rows, minlength=words) == 0
    found[alone] = 0.0
    return found


def _product(rows: npt.NDArray[Any], columns: npt.NDArray[Any], values: Array, dense: Array) -> Array:
    """A sparse matrix, its entries by rows, times a dense one."""
    made = np.zeros_like(dense)
    for begin in range(0, len(rows), BLOCK):
        part = slice(begin, begin + BLOCK)
        own = rows[part]
        first = np.flatnonzero(np.r_[True, own[1:] != own[:-1]])
        made[own[first]] += np.add.reduceat(values[part, None] * dense[columns[part]], first, axis=0)
    return made
