"""Pairwise ranked optimisation (Hopkins and May 2011)."""

from __future__ import annotations

import numpy as np

from graphmt import _core
from graphmt.tune.options import TuneOptions
from graphmt.tune.tuner import Free, Vector, normalised


def pro(lists: _core.NBestLists, weights: Vector, free: Free, options: TuneOptions, seed: int) -> Vector:
    """Weights that rank sampled pairs as sentence BLEU does, interpolated with the given ones."""
    pairs = lists.pairs(free.tolist(), options, seed=seed).astype(np.float64)
    learned = np.zeros_like(weights)
    learned[free] = separate(pairs[:, free], options.penalty)
    if not learned.any():
        return weights
    norm = float(np.abs(weights[free]).sum()) or 1.0
    mixed: Vector = weights.copy()
    share = options.interpolation
    mixed[free] = share * normalised(learned, free, norm)[free] + (1 - share) * weights[free]
    return mixed


def separate(pairs: Vector, penalty: float, *, steps: int = 50, tolerance: float = 1e-8) -> Vector:
    """The w that minimises the sum of ln(1 + exp(-w·pair)) and penalty / 2 · |w|², by Newton's method.

    Columns are normalised first; the penalty applies to the normalised values.
    """
    size = np.sqrt(np.mean(pairs**2, axis=0)) if len(pairs) else np.zeros(pairs.shape[1])
    used = size > 0
    scaled = pairs[:, used] / size[used]
    found = np.zeros(scaled.shape[1])
    value = _loss(scaled, found, penalty)
    for _ in range(steps):
        wrong = 1.0 / (1.0 + np.exp(np.clip(scaled @ found, -500, 500)))
        gradient = penalty * found - scaled.T @ wrong
        curvature = (scaled * (wrong * (1 - wrong))[:, None]).T @ scaled
        # A small multiple of the identity keeps the system regular if features are linearly dependent.
        step = np.linalg.solve(curvature + (penalty + 1e-9) * np.eye(len(found)), gradient)
        length = 1.0
        while (lower := _loss(scaled, found - length * step, penalty)) > value and length > 1e-6:
            length /= 2
        found, gain, value = found - length * step, value - lower, lower
        if gain <= tolerance * max(1.0, value):
            break
    whole = np.zeros(pairs.shape[1])
    whole[used] = found / size[used]
    return whole


def _loss(pairs: Vector, weights: Vector, penalty: float) -> float:
    return float(np.logaddexp(0.0, -(pairs @ weights)).sum() + penalty / 2 * weights @ weights)
