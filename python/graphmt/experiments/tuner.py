"""The interface of experiments to the tuner."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmt.model import Model
from graphmt.tune import TuneOptions, tune_model

#: Translates with the system's initial weights.
UNTUNED = "untuned"


@dataclasses.dataclass(frozen=True)
class Tuned:
    """The result of tuning: weights, and for each iteration its number, development BLEU and other values."""

    weights: dict[str, float]
    history: Sequence[Mapping[str, Any]]


@dataclasses.dataclass(frozen=True)
class Asked:
    """How to tune."""

    method: str
    seed: int
    #: The weights file to write; state for resuming may be kept next to it.
    out: Path
    threads: int = 0


#: Model, development source and target, how.
Tuner = Callable[[Model, Path, Path, Asked], Tuned]


def tune(model: Model, source: Path, target: Path, asked: Asked) -> Tuned:
    """Tune with :mod:`graphmt.tune`."""
    options = TuneOptions(tuner=asked.method, seed=asked.seed, threads=asked.threads)
    result = tune_model(model, source, target, options, out=asked.out)
    return Tuned(dict(result.weights), [_plain(row) for row in result.history])


def _plain(row: Any) -> Mapping[str, Any]:
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        return dataclasses.asdict(row)
    return dict(row)
