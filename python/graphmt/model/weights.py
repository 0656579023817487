"""Feature weights: a TOML file that people read and change."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphmt import _core
from graphmt.errors import InputError
from graphmt.files import AnyPath, writing
from graphmt.formats import read_toml
from graphmt.options import nearest

FILE = "weights.toml"

#: Scores are sums of single precision numbers.
_LARGEST = 1e30


def save_weights(weights: Mapping[str, float], path: AnyPath) -> None:
    """Write weights, one a line, with all their digits."""
    with writing(path) as out:
        out.write("# The weight of each feature of the log-linear model.\n")
        out.writelines(f"{name} = {float(value)!r}\n" for name, value in weights.items())


def load_weights(
    path: AnyPath, known: Mapping[str, float], sometimes: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Read weights; ``known`` are the features the model has. One that is left out is an error, as is a stranger.

    ``sometimes`` are features that only some settings of the search use: they may be left out, and then have the
    weight given here.
    """
    sometimes = sometimes or {}
    path = Path(path)
    values = read_toml(path)
    for name, value in values.items():
        if name not in known and name not in sometimes:
            raise InputError(f"the model has no feature {name!r}{nearest(name, known)}.", file=path)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"the weight of {name!r} is {_short(value)}, a number was expected.", file=path)
        if not -_LARGEST <= value <= _LARGEST:
            raise InputError(
                f"the weight of {name!r} is {_short(value)}, a finite number was expected, at most {_LARGEST:g}.",
                file=path,
            )
    if missing := [name for name in known if name not in values]:
        raise InputError(f"no weight for {missing[0]!r}.", file=path, hint="Add a line for it.")
    return {name: float(values.get(name, start)) for name, start in {**known, **sometimes}.items()}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def as_vector(weights: Mapping[str, float], added: tuple[str, ...] = ()) -> list[float]:
    """The weights as the core wants them: built-in features by place, then the added ones."""
    return [weights.get(name, 0.0) for name in (*_core.FEATURES, *added)]
