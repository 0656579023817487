"""Maximum-entropy classifiers against the definition and against another implementation."""

from __future__ import annotations

import numpy as np
import pytest
from graphmt.errors import InputError
from graphmt.maxent import fit
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray


@st.composite
def problems(draw: st.DrawFn, classes: int) -> tuple[list[list[int]], list[int], list[float], int]:
    features = draw(st.integers(1, 5))
    row = st.lists(st.integers(0, features - 1), unique=True)
    rows = draw(st.lists(row, min_size=1, max_size=12))
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=len(rows), max_size=len(rows)))
    counts = draw(st.lists(st.sampled_from((0.5, 1.0, 3.0)), min_size=len(rows), max_size=len(rows)))
    return rows, labels, counts, features


def dense(rows: list[list[int]], features: int) -> NDArray[np.float64]:
    table = np.zeros((len(rows), features))
    for number, row in enumerate(rows):
        table[number, row] = 1
    return table


EXACT = {"tolerance": 1e-14, "iterations": 5000}


@given(problems(2), st.sampled_from((0.1, 1.0, 10.0)))
def test_two_classes_the_slope_at_the_maximum_is_zero(problem, variance) -> None:
    """d/dw = sum of count (p - label) x + w / variance; the objective is strictly convex, so this is the maximum."""
    rows, labels, counts, features = problem
    weights = fit(rows, labels, counts, features=features, variance=variance, **EXACT).weights
    table = dense(rows, features)
    p = 1 / (1 + np.exp(-table @ weights))
    slope = table.T @ (np.array(counts) * (p - labels)) + weights / variance
    np.testing.assert_allclose(slope, 0, atol=1e-4)


@given(problems(3), st.sampled_from((0.1, 1.0, 10.0)))
def test_three_classes_the_slope_at_the_maximum_is_zero(problem, variance) -> None:
    rows, labels, counts, features = problem
    weights = fit(rows, labels, counts, features=features, classes=3, variance=variance, **EXACT).weights
    table = dense(rows, features)
    scores = np.exp(table @ weights)
    p = scores / scores.sum(axis=1, keepdims=True)
    slope = table.T @ (np.array(counts)[:, None] * (p - np.eye(3)[labels])) + weights / variance
    np.testing.assert_allclose(slope, 0, atol=1e-4)


@pytest.mark.parametrize("classes", [2, 4])
def test_as_scikit_learn(classes) -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="needs scikit-learn")
    random = np.random.default_rng(5)
    table = (random.random((500, 20)) < 0.2).astype(float)
    labels = (table @ random.normal(size=(20, classes)) + random.gumbel(size=(500, classes))).argmax(axis=1)
    rows = [np.flatnonzero(row) for row in table]
    made = fit(rows, labels, features=20, classes=classes, variance=2.0, **EXACT)
    # Two classes: C is the variance. More: the weights are determined by the prior alone up to a shift, as here.
    other = linear.LogisticRegression(C=2.0, fit_intercept=False, tol=1e-10, max_iter=5000).fit(table, labels)
    expected = other.coef_[0] if classes == 2 else other.coef_.T
    np.testing.assert_allclose(made.weights, expected, atol=1e-4)


def test_threads_change_no_bit() -> None:
    random = np.random.default_rng(6)
    rows = [random.choice(3000, 8, replace=False) for _ in range(9000)]
    labels = random.integers(0, 2, 9000)
    one, two = (fit(rows, labels, features=3000, threads=threads) for threads in (1, 2))
    assert one.weights.tobytes() == two.weights.tobytes()
    assert one.converged and one.iterations < 200


def test_the_most_iterations_end_it() -> None:
    made = fit([[0], [0, 1], [1]], [0, 1, 1], features=2, iterations=1, tolerance=0)
    assert (made.iterations, made.converged) == (1, False)


@pytest.mark.parametrize(
    ("rows", "labels", "changes"),
    [
        ([[0, 2]], [0], {}),
        ([[0]], [2], {}),
        ([[0]], [0, 1], {}),
        ([[0]], [0], {"variance": 0.0}),
        ([[0]], [0], {"variance": float("nan")}),
        ([[0]], [0], {"classes": 1}),
    ],
)
def test_what_does_not_fit_is_refused(rows, labels, changes) -> None:
    with pytest.raises(InputError, match=r"do not fit together|must be positive"):
        fit(rows, labels, **{"features": 2, **changes})
