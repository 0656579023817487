"""Tuning only the weights of consensus: the model's own weights stay fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from graphmt.tune import NBest, TunedModel

#: The model's own features as one feature.
SCORE = "score"
#: Minimum weight of the score relative to the sum of the others, so that it still breaks ties.
LEAST = 1e-3


class TiedModel:
    """The weighted sum of the model's own features is one feature, so that they keep their proportions."""

    def __init__(self, tuned: TunedModel, consensus: Sequence[str]) -> None:
        self._tuned, self._names = tuned, tuple(consensus)
        self._own = {k: w for k, w in tuned.features.items() if k not in self._names}
        names = list(tuned.features)
        self._columns = [names.index(name) for name in self._names]
        self._mixture = np.array([self._own.get(name, 0.0) for name in names])

    @property
    def features(self) -> Mapping[str, float]:
        """The score, and the features of consensus with their current weights."""
        return {SCORE: 1.0, **{name: self._tuned.features[name] for name in self._names}}

    def weights(self, found: Mapping[str, float]) -> dict[str, float]:
        """The weights of all features, with the model's own unchanged."""
        consensus = {name: found[name] for name in self._names}
        score = max(found[SCORE], LEAST * sum(map(abs, consensus.values()))) or 1.0
        return {**self._own, **{name: weight / score for name, weight in consensus.items()}}

    def decode(self, weights: Mapping[str, float]) -> NBest:
        """The n best of every sentence."""
        found = self._tuned.decode(self.weights(weights))
        score = found.values.astype(np.float64) @ self._mixture
        values = np.column_stack([score, found.values[:, self._columns]]).astype(np.float32)
        return NBest(found.hypotheses, found.tokens, found.numbers, found.words, values)
