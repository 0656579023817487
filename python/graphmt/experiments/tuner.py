"""The one place where experiments meet the tuner."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmt.errors import MissingPackageError
from graphmt.model import Model

#: Translates with the weights that a system starts with.
UNTUNED = "untuned"


@dataclasses.dataclass(frozen=True)
class Tuned:
    """What tuning gave: weights, and for each iteration its number, development BLEU and whatever else is known."""

    weights: dict[str, float]
    history: Sequence[Mapping[str, Any]]


@dataclasses.dataclass(frozen=True)
class Asked:
    """How to tune."""

    method: str
    seed: int
    #: The weights to write; what a run needs to go on after it was stopped may be kept beside them.
    out: Path
    threads: int = 0


#: Model, development source and target, how.
Tuner = Callable[[Model, Path, Path, Asked], Tuned]


def require(method: str) -> None:
    """Refuse a method that nothing can carry out."""
    if method != UNTUNED:
        _module()


def tune(model: Model, source: Path, target: Path, asked: Asked) -> Tuned:
    """Tune with :mod:`graphmt.tune`."""
    tuning = _module()
    options = tuning.TuneOptions(tuner=asked.method, seed=asked.seed, threads=asked.threads)
    result = tuning.tune(model, source, target, options, out=asked.out)
    return Tuned(dict(result.weights), [_plain(row) for row in result.history])


def _module() -> Any:
    try:
        return importlib.import_module("graphmt.tune")
    except ModuleNotFoundError:
        raise MissingPackageError(
            "this graphmt has no tuner.", hint=f"Choose --tuner {UNTUNED} to run without tuning."
        ) from None


def _plain(row: Any) -> Mapping[str, Any]:
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        return dataclasses.asdict(row)
    return dict(row)
