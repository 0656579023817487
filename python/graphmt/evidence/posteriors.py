"""Fitted n-gram posteriors: candidate features and explanations."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmt import _core
from graphmt.evidence.lists import CandidatePlace, SentenceLists
from graphmt.evidence.options import EvidenceOptions
from graphmt.progress import phases
from graphmt.storage.files import AnyPath

#: The candidate features: for n-grams of each order, the sum of their probabilities.
FEATURES: tuple[str, ...] = ("memory1", "memory2", "memory3", "memory4")


@dataclasses.dataclass(frozen=True)
class NgramPosteriors:
    """Classifiers of n-grams with the memory that their features come from."""

    index: _core.MemoryIndex
    predictor: _core.NgramPredictor
    options: EvidenceOptions

    @classmethod
    def fit(
        cls, index: _core.MemoryIndex, lists: SentenceLists, options: EvidenceOptions | Mapping[str, Any] | None = None
    ) -> tuple[NgramPosteriors, NDArray[np.float32]]:
        """Fit classifiers to a development set with references.

        Also returns the candidate features of the development set itself, by cross-fitting: those of a sentence come
        from classifiers fitted without it.
        """
        options = EvidenceOptions.of(options)
        rows = make_rows(index, lists, options)
        probabilities = _core.cross_fit_ngrams(rows, options, threads=options.threads)
        predictor = _core.NgramPredictor.fit(rows, options, threads=options.threads)
        return cls(index, predictor, options), rows.sums(probabilities)

    @classmethod
    def open(
        cls, path: AnyPath, index: _core.MemoryIndex, options: EvidenceOptions | Mapping[str, Any] | None = None
    ) -> NgramPosteriors:
        """Classifiers that :meth:`save` wrote, to be used with an index of the same memory and the same options."""
        return cls(index, _core.NgramPredictor.open(path), EvidenceOptions.of(options))

    def save(self, path: AnyPath) -> None:
        """Write the classifiers to a file."""
        self.predictor.save(path)

    def candidate_features(self, lists: SentenceLists) -> NDArray[np.float32]:
        """The columns :data:`FEATURES` for all candidates, those of the first sentence first."""
        rows = make_rows(self.index, lists, self.options)
        return rows.sums(self.predictor.probabilities(rows, threads=self.options.threads))

    def explain(self, lists: SentenceLists, place: CandidatePlace) -> list[_core.NgramSupport]:
        """Every distinct n-gram of a candidate with its probability and the memory pairs that support it."""
        inputs = _core.EvidenceInputs(lists, lowercase=self.options.lowercase)
        return _core.explain_candidate(self.index, inputs, self.options, self.predictor, place)


def make_rows(index: _core.MemoryIndex, lists: SentenceLists, options: EvidenceOptions) -> _core.EvidenceRows:
    """A row of features for every distinct n-gram of a sentence's candidates."""
    inputs = _core.EvidenceInputs(lists, lowercase=options.lowercase)
    with phases() as report:
        return index.rows(inputs, options, threads=options.threads, progress=report)
