"""The interface of MERT, MIRA and PRO: better weights from lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from graphmt import _core
from graphmt.tune.options import TuneOptions

Vector: TypeAlias = npt.NDArray[np.float64]
#: Which weights may change.
Free: TypeAlias = npt.NDArray[np.bool_]

#: From lists, weights, which of them may change, options and seed to better weights. The result is passed to the tuner
#: in the next iteration; decoding uses it scaled.
Tuner = Callable[[_core.NBestLists, Vector, Free, TuneOptions, int], Vector]


def normalised(weights: Vector, free: Free, norm: float) -> Vector:
    """The weights with the free ones scaled to a sum of absolute values.

    Their scale does not change the order of a list, but it matters for the beam threshold and next to fixed weights.
    """
    size = float(np.abs(weights[free]).sum())
    scaled: Vector = weights.copy()
    if size > 0:
        scaled[free] *= norm / size
    return scaled
