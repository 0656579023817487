"""Does the walk know more than association? A log-linear mixture of both, estimated on one half and judged on another.

As in a decoder, a candidate's score is w₁ ln p(t|s) + w₂ ln evidence; the weights are those with which candidates that
are in the reference are most probable.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import logsumexp

from diagnosis.choices import Array, Choice

#: No candidate has less, as in the decoder's feature.
LEAST = 1e-7


class Table:
    """The words that have right and wrong candidates, a row each, filled up with candidates that nothing takes."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        open_ = [one for one in choices if one.right.any() and not one.right.all()]
        shape = (len(open_), max((len(one.right) for one in open_), default=0))
        self.features = np.zeros((2, *shape))
        self.real = np.full(shape, -np.inf)
        self.right = np.full(shape, -np.inf)
        for row, one in enumerate(open_):
            number = len(one.right)
            self.features[:, row, :number] = np.log(np.maximum([one.association, one.probability], LEAST))
            self.real[row, :number] = 0.0
            self.right[row, :number] = np.where(one.right, 0.0, -np.inf)

    def likelihood(self, weights: npt.ArrayLike) -> float:
        """Mean log-probability that a right candidate is taken."""
        scores = np.tensordot(np.asarray(weights), self.features, 1)
        return float(np.mean(logsumexp(scores + self.right, axis=1) - logsumexp(scores + self.real, axis=1)))

    def best(self, *, alone: bool) -> Array:
        """The weights with the highest likelihood; ``alone``: of association alone."""

        def loss(free: Array) -> float:
            return -self.likelihood([free[0], 0.0] if alone else free)

        found: Array = minimize(loss, [1.0] if alone else [1.0, 0.1], method="Nelder-Mead").x
        return np.array([found[0], 0.0]) if alone else found


def gain(choices: Sequence[Choice]) -> tuple[float, float]:
    """How much the walk adds to the likelihood of unseen words beside association, in nats a word; its weight.

    Sentences of odd and of even number judge one another; the figures are means of both.
    """
    halves = [Table([one for one in choices if one.sentence % 2 == rest]) for rest in (0, 1)]
    gains, weights = [], []
    for seen, unseen in (halves, halves[::-1]):
        both = seen.best(alone=False)
        gains.append(unseen.likelihood(both) - unseen.likelihood(seen.best(alone=True)))
        weights.append(both[1])
    return float(np.mean(gains)), float(np.mean(weights))
