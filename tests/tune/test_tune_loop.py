"""The loop: when it stops, that a seed decides everything, and that a stopped run goes on to the same weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest
from graphmt.errors import InputError
from graphmt.tune import NBest, TuneOptions, TuneResult, optimise
from graphmt.tune.loop import TUNERS
from graphmt.tune.state import RECORD, State
from pools import Pool


def run(tuner: str, *, seed: int = 1, threads: int = 0, **more: object) -> TuneResult:
    pool = Pool(sentences=40, size=80, seed=9)
    return optimise(pool, pool.references, TuneOptions(tuner=tuner, seed=seed, threads=threads, **more))


@pytest.mark.parametrize("tuner", ["mert", "mira", "pro"])
def test_the_seed_decides_and_threads_do_not(tuner: str) -> None:
    one, again, other = run(tuner), run(tuner, threads=1), run(tuner, seed=2)
    assert one.weights == again.weights
    assert [step.bleu for step in one.history] == [step.bleu for step in again.history]
    assert [step.weights for step in one.history] != [step.weights for step in other.history]


class Killed(BaseException):
    """The process dies here."""


class Dying(Pool):
    """Dies when it is asked to decode once too often."""

    def __init__(self, after: int) -> None:
        super().__init__(sentences=40, size=80, seed=9)
        self.after = after

    def decode(self, weights: Mapping[str, float]) -> NBest:
        if self.decoded == self.after:
            raise Killed
        return super().decode(weights)


@pytest.mark.parametrize("tuner", ["mert", "mira", "pro"])
def test_a_stopped_run_goes_on_to_the_same_weights(tuner: str, tmp_path: Path) -> None:
    options = TuneOptions(tuner=tuner, patience=15, iterations=5)
    whole = Pool(sentences=40, size=80, seed=9)
    expected = optimise(whole, whole.references, options)
    assert len(expected.history) >= 3
    dying = Dying(after=2)
    with pytest.raises(Killed):
        optimise(dying, dying.references, options, state=State(tmp_path / "work", {"run": 1}))
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["lists-001.npz", "lists-002.npz", RECORD]
    second = Pool(sentences=40, size=80, seed=9)
    result = optimise(second, second.references, options, state=State(tmp_path / "work", {"run": 1}))
    assert second.decoded == len(expected.history) - 2
    assert result.weights == expected.weights
    assert [one.hypotheses for one in result.history] == [one.hypotheses for one in expected.history]


def test_another_request_or_a_damaged_state_begins_anew(tmp_path: Path) -> None:
    pool = Pool(sentences=40, size=80, seed=9)
    options = TuneOptions(iterations=2)
    optimise(pool, pool.references, options, state=State(tmp_path, {"run": 1}))
    other = Pool(sentences=40, size=80, seed=9)
    optimise(other, other.references, options, state=State(tmp_path, {"run": 2}))
    assert other.decoded == 2
    (tmp_path / "lists-001.npz").write_bytes(b"PK\x03\x04 cut off")
    again = Pool(sentences=40, size=80, seed=9)
    optimise(again, again.references, options, state=State(tmp_path, {"run": 2}))
    assert again.decoded == 2
    record = json.loads((tmp_path / RECORD).read_text("utf-8"))
    for changed in ({**record, "next": ["x"]}, {**record, "history": [{}]}, [record]):
        (tmp_path / RECORD).write_text(json.dumps(changed))
        once = Pool(sentences=40, size=80, seed=9)
        optimise(once, once.references, options, state=State(tmp_path, {"run": 2}))
        assert once.decoded == 2
    whole = Pool(sentences=40, size=80, seed=9)
    optimise(whole, whole.references, options, state=State(tmp_path, {"run": 2}))
    assert whole.decoded == 0
    assert json.loads((tmp_path / RECORD).read_text("utf-8"))["request"] == {"run": 2}


def test_it_stops_when_nothing_is_new() -> None:
    pool = Pool(sentences=5, size=3, seed=1)
    result = optimise(pool, pool.references, TuneOptions())
    assert result.stopped == "no new hypotheses"
    assert len(result.history) == 2
    assert result.history[-1].new == 0 and result.history[-1].list_bleu is None


def test_it_stops_when_hardly_anything_is_new() -> None:
    whole, early = run("mira", iterations=20, patience=20), run("mira", iterations=20, patience=20, least_new=0.2)
    shares = [one.new / one.hypotheses for one in early.history]
    assert early.stopped == "hardly any new hypotheses"
    assert shares[-1] <= 0.2 < min(shares[:-1])
    assert [one.new for one in early.history] == [one.new for one in whole.history[: len(early.history)]]


def test_it_stops_without_gain_and_keeps_the_best() -> None:
    result = run("mira", patience=1, iterations=50)
    assert result.stopped in ("no gain", "no new hypotheses")
    best = max(result.history, key=lambda one: one.bleu)
    assert (result.weights, result.bleu) == (best.weights, best.bleu)


class Astray:
    """A system whose second translation is worse than its first, and whose later ones get better again."""

    features: ClassVar = {"x": 1.0, "y": 0.5}
    matches = (4, 0, 1, 2, 3, 6, 5, 5, 5, 5)

    def __init__(self) -> None:
        self.decoded = 0

    def decode(self, weights):
        right = self.matches[self.decoded]
        self.decoded += 1
        # Two hypotheses, so that there is something to learn; new ones each time.
        words = ["a"] * right + ["z"] * (8 - right)
        lists = [[(words, {"x": float(self.decoded), "y": 0.0}), (["z"] * 8, {"x": 0.0, "y": float(self.decoded)})]]
        return NBest.from_lists(lists, ["x", "y"])


def test_it_is_more_patient_while_nothing_is_better_than_the_start() -> None:
    result = optimise(Astray(), [[["a"] * 8]], TuneOptions(patience=3, iterations=10), fixed=())
    # Best in the sixth iteration, which patience 3 alone would not have seen; then three without gain.
    assert [one.bleu for one in result.history].index(result.bleu) == 5
    assert len(result.history) == 9 and result.stopped == "no gain"


def test_mira_goes_on_from_weights_of_its_own_size(monkeypatch) -> None:
    """Decoding has weights of the size it began with; the tuner gets back what it gave."""
    given = []

    def doubling(lists, weights, free, options, seed):
        given.append(weights.copy())
        return weights * 2

    monkeypatch.setitem(TUNERS, "mira", doubling)
    result = optimise(Astray(), [[["a"] * 8]], TuneOptions(iterations=3), fixed=())
    assert [weights.tolist() for weights in given] == [[1.0, 0.5], [2.0, 1.0]]
    assert [one.weights for one in result.history] == [{"x": 1.0, "y": 0.5}] * 3


def test_it_stops_after_the_most_iterations() -> None:
    assert run("mira", iterations=1).stopped == "most iterations"
    assert len(run("mira", iterations=1).history) == 1


def test_lists_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(InputError, match="no sentence"):
        optimise(Pool(1, 1, 1), [])
    with pytest.raises(InputError, match="without a value of 'g'"):
        NBest.from_lists([[(["a"], {"f": 1.0})]], ["f", "g"])

    class Empty(Pool):
        def decode(self, weights: Mapping[str, float]) -> NBest:
            return NBest.from_lists([[], []], list(self.features))

    empty = Empty(sentences=2, size=1, seed=1)
    with pytest.raises(InputError, match="sentence 1 has no hypothesis"):
        optimise(empty, empty.references)
