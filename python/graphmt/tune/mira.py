"""Batch MIRA (Cherry and Foster 2012)."""

from __future__ import annotations

from graphmt import _core
from graphmt.tune.options import TuneOptions
from graphmt.tune.tuner import Free, Vector


def mira(lists: _core.NBestLists, weights: Vector, free: Free, options: TuneOptions, seed: int) -> Vector:
    """The averaged weights of the epoch that has the best BLEU on the lists."""
    return lists.mira(weights, free.tolist(), options, seed=seed).weights
