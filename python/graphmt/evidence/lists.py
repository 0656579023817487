"""Sentences with their candidates, as the core takes them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


@dataclasses.dataclass(frozen=True)
class SentenceLists:
    """Input sentences and their candidates. Every list has one entry for each sentence; all lines are tokenised."""

    sources: Sequence[str]
    candidates: Sequence[Sequence[str]]
    #: Natural logarithms, one for each candidate; None: all candidates of a sentence are equally probable.
    log_probabilities: Sequence[Sequence[float]] | None = None
    #: Known translations, to fit classifiers to.
    references: Sequence[Sequence[str]] | None = None
    #: Memory pairs to ignore, numbered from 0.
    left_out: Sequence[Sequence[int]] | None = None
    #: Memory pairs with similar vectors: their numbers, from 0, and cosines. None: vectors are not used.
    by_vectors: Sequence[Sequence[tuple[int, float]]] | None = None
    #: The vectors of the sources, a row for each, to find these pairs.
    vectors: NDArray[np.float32] | None = None


@dataclasses.dataclass(frozen=True)
class CandidatePlace:
    """A candidate of a sentence, both counted from 0."""

    sentence: int
    candidate: int
