"""The exact line search against every interval evaluated one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from amounts import examples
from graphmt import _core
from graphmt.errors import InputError
from graphmt.tune import TuneOptions
from graphmt.tune.mert import mert
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pools import Pool, filled

WORDS = ["a", "b", "c", "d", "e"]
FEATURES = ["x", "y"]
VALUE = st.integers(-6, 6)
HYPOTHESIS = st.tuples(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7),
    st.fixed_dictionaries({name: VALUE.map(float) for name in FEATURES}),
)
CORPUS = st.lists(st.lists(HYPOTHESIS, min_size=1, max_size=6), min_size=1, max_size=4)


def breaks(corpus: list, start: np.ndarray, direction: np.ndarray) -> list[float]:
    """Every place at which two hypotheses of a sentence have the same score."""
    found = set()
    for sentence in corpus:
        rows = [np.array([values[name] for name in FEATURES]) for _, values in sentence]
        for one, other in itertools.combinations(rows, 2):
            slope = (one - other) @ direction
            if slope:
                found.add(-((one - other) @ start) / slope)
    return sorted(found)


@example(
    corpus=[[(["a", "a"], {"x": 0.0, "y": 0.0}), (["a"], {"x": -1.0, "y": -1.0})], [(["a"] * 4, {"x": 0.0, "y": 0.0})]],
    start=(0, 0),
    direction=(0, 0),
)
@given(CORPUS, st.tuples(VALUE, VALUE), st.tuples(VALUE, VALUE))
def test_no_interval_is_better(corpus: list, start: tuple[int, int], direction: tuple[int, int]) -> None:
    references = [[WORDS] for _ in corpus]
    lists = filled(corpus, references, FEATURES)
    here, along = np.array(start, dtype=float), np.array(direction, dtype=float)
    search = lists.line_search(along[None, :])
    [found] = search.steps(here, [0])
    step, bleu = found.step, found.quality
    at = breaks(corpus, here, along)
    points = [(a + b) / 2 for a, b in itertools.pairwise(at)]
    points += [at[0] - 1, at[-1] + 1] if at else [0.0]
    best = max(lists.bleu(here + point * along) for point in points)
    assert bleu >= best
    # What it promises is what the point has, unless it stays, where scores may be tied.
    if step:
        assert lists.bleu(here + step * along) == bleu


@settings(max_examples=examples(30))
@given(CORPUS, st.tuples(VALUE, VALUE))
def test_a_dense_grid_finds_nothing_better(corpus: list, start: tuple[int, int]) -> None:
    lists = filled(corpus, [[WORDS] for _ in corpus], FEATURES)
    here, along = np.array(start, dtype=float), np.array([0.0, 1.0])
    [found] = lists.line_search(along[None, :]).steps(here, [0])
    # An irrational offset keeps the grid off the points where scores are tied.
    grid = np.linspace(-40, 40, 201) + np.pi / 1000
    assert found.quality >= max(lists.bleu(here + point * along) for point in grid)


def test_threads_do_not_matter() -> None:
    pool = Pool(sentences=40, size=60, seed=3)
    directions = np.random.default_rng(0).normal(size=(5, 4))
    start = np.array([0.1, 1.0, 0.2, 100.0])
    found = []
    for threads in (1, 2, 3):
        lists = filled(pool.pool, pool.references, list(pool.features))
        found.append(lists.line_search(directions, threads=threads).steps(start, [0, 1, 2, 3, 4]))
    assert found[0] == found[1] == found[2]


def test_mert_finds_the_known_optimum() -> None:
    """Only the first feature speaks of quality; what is best by it alone is found, from a start far off."""
    pool = Pool(sentences=60, size=40, seed=1)
    lists = filled(pool.pool, pool.references, list(pool.features))
    free = np.array([True, True, True, False])
    start = np.array(list(pool.features.values()))
    found = mert(lists, start, free, TuneOptions(tuner="mert"), seed=1)
    best = lists.bleu(np.array([1.0, 0.0, 0.0, 100.0]))
    assert lists.bleu(start) < best - 20
    assert lists.bleu(found) >= best
    assert found[3] == 100.0
    assert abs(found[1]) < 0.2 * abs(found[0])


def test_lists_that_are_searched_do_not_grow() -> None:
    pool = Pool(sentences=2, size=3, seed=1)
    lists = filled(pool.pool, pool.references, list(pool.features))
    search = lists.line_search(np.eye(4))
    more = pool.decode(pool.features)
    with pytest.raises(InputError, match="LineSearch"):
        lists.add(more)
    with pytest.raises(InputError, match="no direction 4"):
        search.steps(np.zeros(4), [4])
    with pytest.raises(InputError, match="4 finite"):
        search.steps(np.array([0.0, np.nan, 0.0, 0.0]), [0])
    assert isinstance(search, _core.LineSearch)
