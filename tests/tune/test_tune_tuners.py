"""MIRA by hand, PRO on separable pairs, and all three on a problem with a known answer."""

from __future__ import annotations

import numpy as np
import pytest
from graphmt.tune import TuneOptions, optimise
from graphmt.tune.pro import separate
from graphmt.tune.tuner import normalised
from pools import Pool, filled


def test_one_update_of_mira_by_hand() -> None:
    """Cherry and Foster 2012, algorithm 1, one sentence and one epoch.

    The background starts as matches (4, 3, 2, 1) of (4, 3, 2, 1) and reference length 4. With the reference itself
    (4 words) the gain is 1 · 8; with "a x x x" the precisions are 5/8, 3/6, 2/4 and 1/2, and the gain their geometric
    mean times 8. Scores are 0 and 0.5 · 1, so the first is hope (8 > 0.5 + gain) and the second fear.
    """
    lists = filled(
        [[(["a", "b", "c", "d"], {"f": 0.0, "g": 2.0}), (["a", "x", "x", "x"], {"f": 1.0, "g": 0.0})]],
        [[["a", "b", "c", "d"]]],
        ["f", "g"],
    )
    gain = 8.0 - 8.0 * (5 / 8 * 3 / 6 * 2 / 4 * 1 / 2) ** 0.25
    start = np.array([0.5, 0.0])
    margin = -0.5
    step = (gain - margin) / 5.0
    expected = start + step * np.array([-1.0, 2.0])
    options = TuneOptions(c=10.0, decay=0.999, epochs=1)
    found = lists.mira(start, [True, True], options, seed=1)
    assert found.weights == pytest.approx(expected, rel=1e-12)
    assert (found.bleu, found.epoch) == (pytest.approx(100.0), 1)
    weights = lists.mira(start, [True, True], options.replace(c=0.3), seed=1).weights
    assert weights == pytest.approx(start + 0.3 * np.array([-1.0, 2.0]), rel=1e-12)
    weights = lists.mira(start, [False, True], options.replace(c=0.3), seed=1).weights
    assert weights == pytest.approx([0.5, 0.6], rel=1e-12)


def test_mira_does_not_move_where_hope_has_its_margin() -> None:
    lists = filled([[(["a"], {"f": 1.0}), (["b"], {"f": 0.0})]], [[["a"]]], ["f"])
    found = lists.mira(np.array([50.0]), [True], TuneOptions(c=0.01, decay=0.999, epochs=5), seed=1)
    assert (found.weights[0], found.epoch) == (50.0, 1)


def test_pro_finds_the_separating_direction() -> None:
    random = np.random.default_rng(2)
    truth = np.array([3.0, -1.0, 0.5])
    pairs = random.normal(size=(4000, 3)) * np.array([1.0, 20.0, 0.1])
    pairs *= np.sign(pairs @ truth)[:, None]
    found = separate(pairs, penalty=1e-3)
    assert np.mean(pairs @ found > 0) > 0.999
    scaled = (truth * np.array([1.0, 20.0, 0.1]), found * np.array([1.0, 20.0, 0.1]))
    assert scaled[0] @ scaled[1] / np.linalg.norm(scaled[0]) / np.linalg.norm(scaled[1]) > 0.999


def test_the_regression_is_at_its_minimum() -> None:
    random = np.random.default_rng(3)
    pairs = random.normal(size=(500, 4)) + 0.3
    pairs /= np.sqrt(np.mean(pairs**2, axis=0))
    found = separate(pairs, penalty=2.0)
    gradient = 2.0 * found - pairs.T @ (1 / (1 + np.exp(pairs @ found)))
    assert np.abs(gradient).max() < 1e-4
    # Columns that never vary, and columns that are sums of others, do no harm.
    doubled = np.hstack([pairs, pairs[:, :1], np.zeros((500, 1))])
    again = separate(doubled, penalty=2.0)
    assert again[5] == 0.0 and np.isfinite(again).all()
    assert separate(np.zeros((0, 2)), penalty=1.0).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("tuner", ["mert", "mira", "pro"])
def test_a_known_problem_is_solved(tuner: str) -> None:
    pool = Pool(sentences=60, size=60, seed=4)
    options = TuneOptions(tuner=tuner, **({"interpolation": 0.5} if tuner == "pro" else {}))
    result = optimise(pool, pool.references, options)
    whole = filled(pool.pool, pool.references, list(pool.features))
    best = whole.bleu(np.array([1.0, 0.0, 0.0, 100.0]))
    assert result.history[0].bleu < best - 15
    assert result.bleu > best - 2.0
    assert result.weights["unknown"] == 100.0
    free = [value for name, value in result.weights.items() if name != "unknown"]
    assert sum(map(abs, free)) == pytest.approx(1.7)
    assert result.bleu == max(one.bleu for one in result.history)


def test_normalising_leaves_fixed_weights_and_zeros_alone() -> None:
    free = np.array([True, True, False])
    assert normalised(np.array([1.0, -3.0, 9.0]), free, 2.0).tolist() == [0.5, -1.5, 9.0]
    assert normalised(np.zeros(3), free, 2.0).tolist() == [0.0, 0.0, 0.0]
