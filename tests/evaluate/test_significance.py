"""Tests of significance against enumeration of everything that chance can do, on tiny texts."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
from graphmt.evaluate import Compared, EvaluateOptions, Output, compare, make_metrics
from graphmt.evaluate.comparison import difference
from graphmt.evaluate.significance import bootstrap, mean_run, paired_bootstrap, three_way
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.significance import PairedTest


class Share:
    """Words right of words said: a row is (right, said)."""

    name = "share"
    lower_is_better = False
    signature = "share"

    def score(self, counts):
        return 100 * counts[0] / counts[1]


SHARE = Share()


def rows(*right):
    return np.array([[value, 4.0] for value in right])


def test_bootstrap_by_hand() -> None:
    # Two sentences, 0 and 4 of 4 right: the four equally likely resamples score 0, 50, 50, 100.
    scores = bootstrap(SHARE, rows(0, 4), 4000, seed=1)
    values, counts = np.unique(scores, return_counts=True)
    assert values.tolist() == [0, 50, 100]
    assert counts / 4000 == pytest.approx([0.25, 0.5, 0.25], abs=0.03)
    # Variance 0.25 · 2500 + 0.25 · 2500 = 1250.
    assert scores.std() == pytest.approx(1250**0.5, abs=1.0)
    assert bootstrap(SHARE, rows(0, 4), 50, seed=1).tolist() == scores[:50].tolist()


def enumerated(base, other):
    """The share of all ways to deal each sentence's rows to the runs that give a difference as large."""
    pool = np.stack([*base, *other])
    size = len(pool)
    dealings = list(itertools.permutations(range(size)))

    def spread(choice):
        sums = sum(pool[list(order), k] for k, order in enumerate(choice))
        scores = [SHARE.score(row) for row in sums]
        return abs(np.mean(scores[: len(base)]) - np.mean(scores[len(base) :]))

    real = spread([tuple(range(size))] * pool.shape[1])
    choices = list(itertools.product(dealings, repeat=pool.shape[1]))
    return sum(spread(choice) >= real - 1e-9 for choice in choices) / len(choices)


@pytest.mark.parametrize(
    ("base", "other"),
    [
        ([rows(0, 1, 2, 1)], [rows(3, 3, 2, 4)]),
        ([rows(2, 1, 2)], [rows(1, 3, 3)]),
        ([rows(1, 0), rows(2, 1)], [rows(4, 3), rows(3, 3)]),
        ([rows(1, 2)], [rows(4, 3), rows(3, 1)]),
    ],
)
def test_three_way_is_what_enumeration_gives(base, other) -> None:
    found = three_way([SHARE], {"share": base}, {"share": other}, 3000, seed=3)["share"]
    assert found == pytest.approx(enumerated(base, other), abs=0.03)
    assert found == three_way([SHARE], {"share": base}, {"share": other}, 3000, seed=3)["share"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=7))
def test_a_few_sentences_are_swapped_in_all_ways(right) -> None:
    """Exactly the share of all ways, of which one is the real one, whatever the seed."""
    base, other = rows(*(one for one, _ in right)), rows(*(one for _, one in right))
    expected = enumerated([base], [other])
    for seed in (1, 2):
        found = three_way([SHARE], {"share": [base]}, {"share": [other]}, 2**7, seed)
        assert found["share"] == pytest.approx(expected, abs=1e-12)


def test_more_swaps_than_trials_are_drawn() -> None:
    base, other = rows(*[1] * 5), rows(*[2] * 5)
    sides = {"share": [base]}, {"share": [other]}
    assert three_way([SHARE], *sides, 2**5, seed=1) == {"share": 2 / 2**5}
    drawn = three_way([SHARE], *sides, 2**5 - 1, seed=1)["share"]
    assert drawn * 2**5 == pytest.approx(round(drawn * 2**5)), "the real sides count as one draw more"
    # Sentences that do not differ need no swaps.
    longer = [{"share": [np.vstack([one, rows(*[3] * 9)])]} for one in (base, other)]
    assert three_way([SHARE], *longer, 2**5, seed=1) == {"share": 2 / 2**5}


def test_a_system_does_not_differ_from_itself() -> None:
    same = [rows(1, 2, 3), rows(2, 2, 2)]
    assert three_way([SHARE], {"share": same}, {"share": same}, 100, seed=1) == {"share": 1.0}


REFERENCE = [f"the {noun} sees a {other} today" for noun, other in itertools.product("abcdefgh", "mnopq")]


def noisy(rate, seed):
    rng = np.random.default_rng(seed)
    return [" ".join("x" if rng.random() < rate else word for word in line.split()) for line in REFERENCE]


def test_single_runs_take_sacrebleus_bootstrap_and_one_randomisation() -> None:
    options = EvaluateOptions(samples=200, trials=400, seed=7)
    texts = [("good", noisy(0.1, 1)), ("bad", noisy(0.3, 2)), ("same", noisy(0.1, 1))]
    systems = [Compared(name, (Output(name, tuple(text)),)) for name, text in texts]
    found = compare(systems, [("ref", REFERENCE)], options)
    os.environ["SACREBLEU_SEED"] = "7"
    try:
        metrics = {metric.name: metric.made for metric in make_metrics(options, [REFERENCE])}
        expected = PairedTest(texts, metrics, None, test_type="bs", n_samples=200)()[1]
    finally:
        del os.environ["SACREBLEU_SEED"]
    gains = difference(found, "bad", "good")
    for scores in found.scores:
        assert scores.systems[1].p["bootstrap"] == expected[scores.metric][1].p_value
        assert scores.systems[2].p == {"bootstrap": 1.0, "sentences": 1.0}, "a difference of nothing is not significant"
        assert [s.mean for s in scores.systems] == [r.score for r in expected[scores.metric]]
        # The same comparison asked for by name has the same p, and none over runs.
        assert gains[scores.metric][1:] == (None, scores.systems[1].p["sentences"])
    bleu = found.scores[0].systems
    assert bleu[0].p == {} and bleu[0].difference is None and bleu[0].spread is None
    assert bleu[1].p["sentences"] < 0.01


def test_sums_that_come_up_again_are_scored_once(monkeypatch) -> None:
    """Two sentences differ, so thousands of shuffles have four different sums."""
    (metric,) = metrics = make_metrics(EvaluateOptions(metrics=("bleu",)), [REFERENCE])
    scored = []
    compute = metric.score
    monkeypatch.setattr(metric, "score", lambda counts: scored.append(counts) or compute(counts))
    other = ["x x", "the x", *REFERENCE[2:]]
    paired_bootstrap([("a", REFERENCE), ("b", other)], metrics, EvaluateOptions(samples=20, trials=2000))
    assert len(scored) < 100
    scored.clear()
    base, changed = ({"BLEU": [metric.rows(text)]} for text in (REFERENCE, other))
    three_way(metrics, base, changed, 2000, seed=1)
    assert len(scored) < 10


def test_the_seed_goes_back_to_what_it_was(monkeypatch) -> None:
    metrics = make_metrics(EvaluateOptions(metrics=("chrf",)), [REFERENCE])
    texts = [("a", noisy(0.1, 1)), ("b", noisy(0.3, 2))]
    monkeypatch.setenv("SACREBLEU_SEED", "99")
    paired_bootstrap(texts, metrics, EvaluateOptions(samples=20, trials=20))
    assert os.environ["SACREBLEU_SEED"] == "99"
    monkeypatch.delenv("SACREBLEU_SEED")
    paired_bootstrap(texts, metrics, EvaluateOptions(samples=20, trials=20))
    assert "SACREBLEU_SEED" not in os.environ


def test_the_same_run_three_times_is_no_more_evidence() -> None:
    rng = np.random.default_rng(5)
    right = rng.integers(0, 3, size=30)
    base, other = rows(*right), rows(*(right + rng.integers(-1, 3, size=30)))
    once = three_way([SHARE], {"share": [base]}, {"share": [other]}, 2000, seed=3)
    sides = {"share": [base] * 3}, {"share": [other] * 3}
    assert three_way([SHARE], *map(mean_run, sides), 2000, seed=3) == once
    # Shuffled one by one, the copies count as evidence of their own.
    assert three_way([SHARE], *sides, 2000, seed=3)["share"] < once["share"]


def test_several_runs_give_means_spread_and_p() -> None:
    options = EvaluateOptions(samples=100, trials=300)
    good = Compared("good", tuple(Output(f"g{k}", tuple(noisy(0.1, k))) for k in range(3)))
    bad = Compared("bad", tuple(Output(f"b{k}", tuple(noisy(0.3, k + 9))) for k in range(2)))
    found = compare([good, bad], [("ref", REFERENCE)], options)
    first, second = found.scores[0].systems
    assert first.mean == pytest.approx(np.mean(first.runs)) and len(first.runs) == 3
    assert first.spread == pytest.approx(np.std(first.runs, ddof=1))
    assert second.difference == pytest.approx(second.mean - first.mean)
    assert second.p == {"runs": pytest.approx(1 / 301), "sentences": pytest.approx(1 / 301)}
    # The same pair asked for by name gives the same figures, the other way round the other sign.
    gain, *p = difference(found, "good", "bad")["BLEU"]
    assert gain == pytest.approx(-second.difference) and p == [second.p["runs"], second.p["sentences"]]
    assert found.without(["bad"]).scores[0].systems == (first,)
