"""Functions that add features to translation options."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from graphmt import _core
from graphmt.errors import InputError
from graphmt.model.weights import LARGEST

#: Gets the options of a sentence as columns, and its words; returns an array with a row per option and a column per
#: added feature (or, for one feature, one value per option).
Annotate = Callable[[_core.OptionColumns, list[str]], npt.ArrayLike]


class Annotations:
    """The functions of a model that has added features: one callable, which gives the columns of all of them."""

    def __init__(self, *functions: Annotate) -> None:
        self.functions = functions

    def __call__(self, options: _core.OptionColumns, words: list[str]) -> npt.NDArray[np.float32]:
        """A row per option, with the features of all functions."""
        columns = [_columns(function(options, words)) for function in self.functions]
        return columns[0] if len(columns) == 1 else np.hstack(columns)

    def require_pickling(self) -> None:
        """Raise an error that names a function which cannot be pickled."""
        for function in self.functions:
            try:
                pickle.dumps(function)
            except Exception as error:
                name = getattr(function, "__qualname__", type(function).__name__)
                raise InputError(
                    f"the model cannot be pickled: {name}, which computes its added features, cannot be: {error}.",
                    hint="Define the function at the top level of a module, or add the features in each process.",
                ) from None


def _columns(values: npt.ArrayLike) -> npt.NDArray[np.float32]:
    array = np.asarray(values, dtype=np.float32)
    if not np.isfinite(array).all():
        raise ValueError("a value that is not a finite number")
    if (np.abs(array) > LARGEST).any():
        raise ValueError(f"a value that is not from -{LARGEST:g} to {LARGEST:g}")
    return array[:, np.newaxis] if array.ndim == 1 else array
