"""Sentences with their candidates, as the core takes them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence


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


@dataclasses.dataclass(frozen=True)
class CandidatePlace:
    """A candidate of a sentence, both counted from 0."""

    sentence: int
    candidate: int
