"""Minimum error rate training (Och 2003)."""

from __future__ import annotations

import numpy as np

from graphmt import _core
from graphmt.tune.options import TuneOptions
from graphmt.tune.tuner import Free, Vector, normalised

#: Smaller gains of BLEU (or TER) are ignored.
LEAST_GAIN = 1e-6

#: The distance of restarts from the weights, relative to their mean absolute value.
DISTANCE = 0.5


def mert(lists: _core.NBestLists, weights: Vector, free: Free, options: TuneOptions, seed: int) -> Vector:
    """The best weights on the lists, by BLEU or TER, found by line searches from the given and from random points.

    Each search goes through all directions in random order, takes the best step along each, and ends when no
    direction gains. Directions are the features and some random ones, drawn once so that the core sorts the
    hypotheses along each only once.
    """
    random = np.random.default_rng(seed)
    spread = lists.spread(threads=options.threads)
    # In these units all features have the same variance; constant features are not changed.
    units = np.divide(1.0, spread, out=np.zeros_like(spread), where=(spread > 0) & free)
    directions = _directions(units, random, options.random_directions)
    search = lists.line_search(directions, threads=options.threads)
    size = float(np.mean(np.abs(weights[units > 0]) / units[units > 0])) if units.any() else 0.0
    best, best_quality = weights, lists.quality(weights, threads=options.threads)
    for restart in range(options.restarts + 1):
        start = weights if restart == 0 else weights + DISTANCE * size * units * random.normal(size=len(weights))
        found, quality = _climb(search, directions, start, random, options.narrowest)
        if quality > best_quality + LEAST_GAIN:
            best, best_quality = found, quality
    return normalised(best, free, float(np.abs(weights[free]).sum()))


def _directions(units: Vector, random: np.random.Generator, number: int) -> Vector:
    varying = np.flatnonzero(units)
    along = np.zeros((len(varying), len(units)))
    along[np.arange(len(varying)), varying] = 1.0
    return np.vstack([along, random.normal(size=(number, len(units))) * units])


def _climb(
    search: _core.LineSearch, directions: Vector, start: Vector, random: np.random.Generator, narrowest: float
) -> tuple[Vector, float]:
    weights, quality, gained = start, -np.inf, True
    while gained:
        gained = False
        for number in random.permutation(len(directions)).tolist():
            [best] = search.steps(weights, [number], narrowest=narrowest)
            quality = best.start_quality
            if best.quality > best.start_quality + LEAST_GAIN:
                weights, quality, gained = weights + best.step * directions[number], best.quality, True
    return weights, quality
