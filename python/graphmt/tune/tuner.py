"""What MERT, MIRA and PRO have in common: better weights from lists."""

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

#: Lists, weights, which of them may change, options, seed: to better weights. What comes back is what the tuner is
#: given the next time; decoding gets it scaled.
Tuner = Callable[[_core.NBestLists, Vector, Free, TuneOptions, int], Vector]


def normalised(weights: Vector, free: Free, norm: float) -> Vector:
    """The weights with the free ones scaled to a sum of absolute values; the translations stay the same.

    The size of weights does not matter to a list, but it does to a beam threshold and beside a fixed weight.
    """
    size = float(np.abs(weights[free]).sum())
    scaled: Vector = weights.copy()
    if size > 0:
        scaled[free] *= norm / size
    return scaled
