"""Feature weights: a TOML file for people to read and edit."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from pathlib import Path

from graphmt import _core
from graphmt.errors import InputError, OptionError
from graphmt.options import nearest
from graphmt.storage.files import AnyPath, require_regular, writing
from graphmt.storage.formats import read_toml

FILE = "weights.toml"

#: The largest absolute weight and added feature value: sums are 32-bit floats in the core.
LARGEST = 1e9


def save_weights(weights: Mapping[str, float], path: AnyPath) -> None:
    """Write a weights file, one feature per line, with all digits.

    Parameters
    ----------
    weights
        Weights by feature.
    path
        The TOML file to write.

    Examples
    --------
    >>> from graphmt.model import save_weights
    >>> save_weights({"lm": 0.5}, "weights.toml")
    """
    with writing(path) as out:
        out.write("# The weight of each feature of the log-linear model.\n")
        out.writelines(f"{name} = {float(value)!r}\n" for name, value in weights.items())


def load_weights(
    path: AnyPath, known: Mapping[str, float], sometimes: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Read a weights file.

    Parameters
    ----------
    path
        The TOML file.
    known
        The model's features. Missing and unknown features are errors.
    sometimes
        Features that only some search options use, with the weights they have if they are missing.

    Returns
    -------
    dict[str, float]
        Weights by feature.

    Raises
    ------
    InputError
        If a feature is missing or unknown, or a weight is not a finite number.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.model import load_weights
    >>> weights = load_weights("pbmt/weights.toml", graphmt.load("pbmt").features)
    >>> weights["lm"]
    0.5
    """
    sometimes = sometimes or {}
    path = Path(path)
    require_regular(path)
    values = read_toml(path)
    for name, value in values.items():
        if name not in known and name not in sometimes:
            raise InputError(f"the model has no feature {name!r}{nearest(name, known)}.", file=path)
        try:
            checked_weight(name, value)
        except OptionError as error:
            raise InputError(error.message, file=path) from None
    if missing := [name for name in known if name not in values]:
        raise InputError(f"no weight for {missing[0]!r}.", file=path, hint="Add a line for it.")
    return {name: float(values.get(name, start)) for name, start in {**known, **sometimes}.items()}


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def checked_weight(name: str, value: object) -> float:
    """A weight as a number; rejected if it is not one, or too large for the core to add up."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise OptionError(f"the weight of {name!r} is {_short(value)}, a number was expected.")
    try:
        weight = float(value)
    except OverflowError:
        weight = math.inf
    if not math.isfinite(weight):
        raise OptionError(f"the weight of {name!r} is {_short(value)}, a finite number was expected.")
    if abs(weight) > LARGEST:
        raise OptionError(f"the weight of {name!r} is {weight:g}, at most {LARGEST:g} was expected.")
    return weight


def as_vector(weights: Mapping[str, float], added: tuple[str, ...] = ()) -> list[float]:
    """The weights as the core wants them: built-in features by place, then the added ones."""
    return [weights.get(name, 0.0) for name in (*_core.FEATURES, *added)]
