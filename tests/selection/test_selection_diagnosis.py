"""The bench that judges choices by references: its counts by hand, and its likelihood against a plain one."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from diagnosis.choices import Choice, Verdict, at_best, by_chance, first, in_reference, judge
from diagnosis.mixture import Table, gain


def choice(right, association, probability, sentence: int = 0) -> Choice:
    return Choice(sentence, 0, np.array(right), np.array(association), np.array(probability))


#: The walk: for the better, for the worse, to another right one, and no change.
CHOICES = [
    choice([False, True], [0.7, 0.3], [0.4, 0.6]),
    choice([True, False], [0.7, 0.3], [0.4, 0.6]),
    choice([True, True, False, False], [0.5, 0.3, 0.1, 0.1], [0.3, 0.5, 0.1, 0.1]),
    choice([False, False], [0.9, 0.1], [0.8, 0.2]),
]


def test_choices_are_judged_by_hand() -> None:
    by_walk = judge(CHOICES, lambda one: first(one.probability))
    assert by_walk == Verdict(words=4, changed=3, better=1, worse=1, right=2)
    assert judge(CHOICES, lambda one: None) == Verdict(words=4, changed=0, better=0, worse=0, right=2)
    assert by_chance(CHOICES) == pytest.approx((1 / 2 + 1 / 2 + 1 / 2 + 0) / 4)
    assert at_best(CHOICES) == 3 / 4


@pytest.mark.parametrize(
    ("better", "worse", "p"), [(0, 0, 1.0), (1, 1, 1.0), (3, 0, 2 / 8), (0, 3, 2 / 8), (5, 1, 2 * (6 + 1) / 64)]
)
def test_the_sign_test_by_hand(better, worse, p) -> None:
    assert Verdict(10, 10, better, worse, 0).p == pytest.approx(p)


@pytest.mark.parametrize(
    ("words", "found"), [(["big"], True), (["big", "dog"], True), (["big", "cat"], False), ([], False)]
)
def test_a_candidate_is_right_if_all_its_words_are_there(words, found) -> None:
    assert in_reference(words, ["a", "big", "dog"]) is found


def test_the_likelihood_is_that_of_a_plain_sum() -> None:
    """Words whose candidates are all right, or all wrong, have nothing to tell."""
    weights = (0.8, 0.5)
    expected = []
    for one in CHOICES[:3]:
        scores = [a ** weights[0] * p ** weights[1] for a, p in zip(one.association, one.probability, strict=True)]
        expected.append(math.log(sum(s for s, right in zip(scores, one.right, strict=True) if right) / sum(scores)))
    table = Table(CHOICES)
    assert table.likelihood(weights) == pytest.approx(np.mean(expected))
    assert all(
        table.likelihood(table.best(alone=False)) >= table.likelihood([w, v]) - 1e-6 for w in (0, 1) for v in (0, 1)
    )


def test_what_knows_more_gains_and_noise_does_not() -> None:
    random = np.random.default_rng(1)
    knows, noise = [], []
    for sentence in range(400):
        association = random.dirichlet(np.ones(4))
        right = np.zeros(4, dtype=bool)
        right[random.integers(4)] = True
        walk = np.where(right, 0.4, 0.2)
        knows.append(choice(right, association, walk, sentence))
        noise.append(choice(right, association, random.dirichlet(np.ones(4)), sentence))
    more, weight = gain(knows)
    assert more > 0.1 and weight > 0.5
    assert abs(gain(noise)[0]) < 0.02
