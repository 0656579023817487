"""Maximum-entropy classifiers over sparse indicator features, with a Gaussian prior, trained by L-BFGS in the core."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmt import _core
from graphmt.errors import InputError
from graphmt.records import from_core

__all__ = ["Fit", "fit"]


@dataclasses.dataclass(frozen=True)
class Fit:
    """A classifier's weights and how they were found.

    Examples
    --------
    >>> from graphmt import maxent
    >>> maxent.fit([[0], [1]], [0, 1], features=2).converged
    True
    """

    #: For two classes, one weight per feature, for the second class; for more, a row of weights per feature.
    weights: NDArray[np.float64]
    #: Mean negative log-likelihood and the prior's share.
    value: float
    iterations: int
    #: Whether optimisation converged before the maximum number of iterations.
    converged: bool


@dataclasses.dataclass(frozen=True)
class ExampleColumns:
    """Examples as the core takes them: row k has the features ``features[offsets[k]:offsets[k + 1]]``."""

    offsets: NDArray[np.uint64]
    features: NDArray[np.uint32]
    labels: NDArray[np.uint32]
    counts: NDArray[np.float32]


@dataclasses.dataclass(frozen=True)
class FitOptions:
    """The arguments of :func:`fit` that the core takes."""

    features: int
    classes: int
    variance: float
    tolerance: float
    iterations: int
    threads: int


def fit(
    rows: Iterable[ArrayLike],
    labels: ArrayLike,
    counts: ArrayLike | None = None,
    *,
    features: int,
    classes: int = 2,
    variance: float = 1.0,
    tolerance: float = 1e-5,
    iterations: int = 200,
    threads: int = 0,
) -> Fit:
    """Train a maximum-entropy classifier by L-BFGS.

    The weights are the most probable ones given the examples and a Gaussian prior. They do not depend on
    ``threads``.

    Parameters
    ----------
    rows
        For each example the numbers of its features, from 0 to ``features`` - 1.
    labels
        The class of each example, from 0.
    counts
        How often each example was seen; by default once.
    features
        Number of features.
    classes
        Number of classes.
    variance
        Variance of the prior.
    tolerance
        Training stops when five iterations decrease the value by at most this fraction.
    iterations
        The most iterations.
    threads
        Number of threads; 0: one per core.

    Returns
    -------
    Fit
        The weights, and how they were found.

    Examples
    --------
    >>> from graphmt import maxent
    >>> found = maxent.fit([[0], [1], [1]], [0, 1, 1], features=2)
    >>> bool(found.weights[0] < 0 < found.weights[1])
    True
    """
    if not variance > 0 or math.isnan(variance) or features < 1 or classes < 2:
        raise InputError(
            f"variance {variance}, {features} features, {classes} classes.",
            hint="The variance must be positive, with at least one feature and two classes.",
        )
    numbers = [np.asarray(row, dtype=np.uint32).ravel() for row in rows]
    labelled = np.asarray(labels, dtype=np.uint32)
    examples = ExampleColumns(
        np.cumsum([0, *map(len, numbers)], dtype=np.uint64),
        np.concatenate([np.zeros(0, dtype=np.uint32), *numbers]),
        labelled,
        np.ones(len(labelled), dtype=np.float32) if counts is None else np.asarray(counts, dtype=np.float32),
    )
    options = FitOptions(features, classes, variance, tolerance, iterations, threads)
    found = _core.fit_maxent(examples, options)
    weights = found.weights if classes == 2 else found.weights.reshape(features, classes)
    return from_core(Fit, found, weights=weights)
