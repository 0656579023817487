"""Logistic regression and gradient boosting beside scikit-learn's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from graphmt import _core
from graphmt.errors import InputError
from graphmt.evidence import EvidenceOptions
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

LR, GB = EvidenceOptions(classifier="lr"), EvidenceOptions(classifier="gb")

Values = npt.NDArray[np.float32]
Labels = npt.NDArray[np.uint8]


def drawn(rows: int, seed: int) -> tuple[Values, Labels]:
    """Features of different kinds and scales; labels that depend on them, products and steps included."""
    chance = np.random.default_rng(seed)
    values = chance.normal(size=(rows, 6))
    values[:, 1] = 40 + 7 * values[:, 0] + values[:, 1]
    values[:, 2] = chance.integers(0, 2, rows)
    values[:, 3] = np.round(values[:, 3], 1)
    values[:, 5] = 3.5
    score = values[:, 0] + np.sin(2 * values[:, 3]) * (2 * values[:, 2] - 1) + (values[:, 4] > 0.7) - 1
    labels = chance.random(rows) < 1 / (1 + np.exp(-score))
    return values.astype(np.float32), labels.astype(np.uint8)


@pytest.fixture(scope="module")
def train() -> tuple[Values, Labels]:
    return drawn(6000, 1)


@pytest.fixture(scope="module")
def test() -> tuple[Values, Labels]:
    return drawn(4000, 2)


@pytest.mark.parametrize("c", [1.0, 0.001])
def test_logistic_regression_has_the_weights_of_scikit_learn(train: tuple[Values, Labels], c: float) -> None:
    values, labels = train
    ours = _core.DenseClassifier.fit(values, labels, LR.replace(c=c))
    scaled = StandardScaler().fit_transform(values.astype(np.float64))
    theirs = LogisticRegression(C=c, tol=1e-10, max_iter=1000).fit(scaled, labels)
    assert ours.weights is not None
    assert ours.weights == pytest.approx([*theirs.coef_[0], theirs.intercept_[0]], abs=1e-5)
    assert ours.probabilities(values) == pytest.approx(theirs.predict_proba(scaled)[:, 1], abs=1e-5)


def test_boosting_is_as_good_as_that_of_scikit_learn(train: tuple[Values, Labels], test: tuple[Values, Labels]) -> None:
    ours = _core.DenseClassifier.fit(*train, GB)
    # Its threads spin while they wait, which takes half a minute on a busy machine.
    with threadpool_limits(1, user_api="openmp"):
        theirs = HistGradientBoostingClassifier(
            max_iter=120,
            learning_rate=0.08,
            max_leaf_nodes=15,
            min_samples_leaf=60,
            l2_regularization=1.0,
            early_stopping=False,
        ).fit(*train)
    found, wanted = (log_loss(test[1], p) for p in (ours.probabilities(test[0]), theirs.predict_proba(test[0])[:, 1]))
    linear = log_loss(test[1], _core.DenseClassifier.fit(*train, LR).probabilities(test[0]))
    assert found == pytest.approx(wanted, rel=0.02)
    assert found < 0.97 * linear
    assert ours.weights is None


@pytest.mark.parametrize("options", [LR, GB])
def test_one_thread_and_three_give_the_same_bits(train: tuple[Values, Labels], options: EvidenceOptions) -> None:
    values, labels = train
    one, three = (
        _core.DenseClassifier.fit(values, labels, options, threads=threads).probabilities(values, threads=threads)
        for threads in (1, 3)
    )
    assert one.tobytes() == three.tobytes()


@pytest.mark.parametrize("options", [LR, GB])
@pytest.mark.parametrize(("labels", "p"), [([1, 1, 1], 3.5 / 4), ([0], 0.5 / 2), ([], 0.5)])
def test_where_there_is_nothing_to_learn(options: EvidenceOptions, labels: list[int], p: float) -> None:
    values = np.arange(2 * len(labels), dtype=np.float32).reshape(-1, 2)
    model = _core.DenseClassifier.fit(values, np.array(labels, dtype=np.uint8), options)
    assert model.probabilities(np.array([[7, -7]], dtype=np.float32)) == pytest.approx([p])


def test_labels_that_features_separate_have_finite_weights() -> None:
    values = np.linspace(-1, 1, 200, dtype=np.float32).reshape(-1, 1)
    labels = (values[:, 0] > 0).astype(np.uint8)
    for options in (LR, GB):
        p = _core.DenseClassifier.fit(values, labels, options).probabilities(values)
        assert np.all(np.isfinite(p)) and p[0] < 0.05 and p[-1] > 0.95


def test_wrong_calls_are_errors(train: tuple[Values, Labels]) -> None:
    values, labels = train
    with pytest.raises(InputError, match="one for each row"):
        _core.DenseClassifier.fit(values, labels[1:], LR)
    with pytest.raises(InputError, match="0 or 1"):
        _core.DenseClassifier.fit(values, labels + np.uint8(1), LR)
    with pytest.raises(InputError, match="finite"):
        _core.DenseClassifier.fit(np.full((1, 1), np.nan, dtype=np.float32), labels[:1], LR)
    with pytest.raises(InputError, match="5 features a row, 6 expected"):
        _core.DenseClassifier.fit(values, labels, LR).probabilities(np.ascontiguousarray(values[:, 1:]))
