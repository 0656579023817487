"""Where propagation ends: with a memory, without one, in a joint graph and in one for each sentence."""

from __future__ import annotations

import numpy as np
import pytest
from amounts import examples
from graphmt import _core
from graphmt.consensus import Candidates, NBestList, RerankOptions, make_memory
from hypothesis import given, settings
from hypothesis import strategies as st

LABEL = st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=4).map(" ".join)
LIST = st.lists(LABEL, min_size=1, max_size=4, unique=True)
#: Sentences of which any two are similar or not.
SENTENCE = st.lists(st.sampled_from(["a", "b"]), min_size=3, max_size=7).map(" ".join)
TOLERANCE = 1e-6


def graph(sources: list[str], lists: list[list[str]], memory: _core.TranslationMemory | None) -> _core.ConsensusGraph:
    options = RerankOptions(threshold=0.3, between=True, normalise="receiver")
    return _core.ConsensusGraph(sources, _core.CandidateLists(lists), memory, ("dice1", "dice2"), options)


def propagated(
    made: _core.ConsensusGraph, start: np.ndarray, rounds: int, tolerance: float = TOLERANCE, each: bool = False
) -> _core.Propagated:
    return made.propagate(start, RerankOptions(rounds=rounds, tolerance=tolerance, per_sentence=each))


def posterior(lists: list[list[str]]) -> np.ndarray:
    return np.array([(k + 1) / sum(range(1, len(own) + 1)) for own in lists for k in range(len(own))])


@given(LIST, LIST)
def test_two_sentences_without_a_memory_settle(one: list[str], other: list[str]) -> None:
    """They hear from one another alone, and so would swing: odd and even rounds give the same."""
    made, start = graph(["a b c d e", "a b c d f"], [one, other], None), posterior([one, other])
    odd = propagated(made, start, 801).values
    even = propagated(made, start, 802).values
    assert odd == pytest.approx(even, abs=1e-3)


def test_rounds_do_not_decide_whose_turn_it_is() -> None:
    lists = [NBestList.of(0, [("a b", -1.0), ("c d", -1.2)]), NBestList.of(1, [("c d", -0.01), ("a b", -9.0)])]
    best = []
    for rounds in (19, 20):
        options = RerankOptions(rounds=rounds, features="gc")
        candidates = Candidates(["x y z v"] * 2, lists, None, options)
        best.append(candidates.consensus(candidates.posterior(candidates.scores, 1.0)))
    assert best[0] == pytest.approx(best[1], abs=1e-6)
    # Both have the mean of their posteriors: of "a b" 0.5498 and 0.0001.
    assert np.exp(best[0][:, 0]) == pytest.approx([0.27498, 0.72502, 0.72502, 0.27498], abs=1e-4)


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(SENTENCE, LIST), min_size=1, max_size=6), st.sampled_from([2, 7, 20]), st.booleans())
def test_a_graph_for_each_sentence_ends_where_the_joint_one_does(
    nodes: list[tuple[str, list[str]]], rounds: int, known: bool
) -> None:
    sources, lists = [source for source, _ in nodes], [own for _, own in nodes]
    made = graph(sources, lists, make_memory([("a b a b", "x y")]) if known else None)
    joint = propagated(made, posterior(lists), rounds).values
    each = propagated(made, posterior(lists), rounds, each=True).values
    assert each == pytest.approx(joint, abs=rounds * TOLERANCE)


def test_a_long_row_is_heard_to_its_end() -> None:
    """All is quiet around the last sentence when news from the first, which has a memory, are still under way."""
    words = [f"w{k}" for k in range(30)]
    sources = [" ".join(words[k : k + 5]) for k in range(20)]
    lists = [["x y", "z"]] * 20
    made = graph(sources, lists, make_memory([("v " + sources[0], "x y")]))
    start = np.full(40, 0.5)
    together = propagated(made, start, 15, 1e-3)
    joint, each = together.values, propagated(made, start, 15, 1e-3, each=True).values
    assert together.rounds == 15 and (each == joint).all()
    assert joint[-14] != pytest.approx(start[-14:-12], abs=1e-9)


@pytest.mark.parametrize("scale", [0.0, 0.5, 1.0, 4.0])
def test_scores_of_any_size_give_posteriors(scale: float) -> None:
    scores = [[1e308, -1e308], [0.0, -1e308, -1e-308], [-1e308, -1e308]]
    lists = [NBestList.of(k, [(f"t {n}", score) for n, score in enumerate(own)]) for k, own in enumerate(scores)]
    candidates = Candidates([""] * 3, lists, None, RerankOptions())
    with np.errstate(all="raise", under="ignore"):
        found = candidates.posterior(candidates.scores, scale)
    first = [0.5, 0.5, 1 / 3, 1 / 3, 1 / 3] if scale == 0 else [1.0, 0.0, 0.5, 0.0, 0.5]
    assert found == pytest.approx([*first, 0.5, 0.5])


def test_sharp_weights_are_numbers() -> None:
    memory = make_memory([("a b c d e", "x"), ("a b c d f", "y"), ("a b c x y", "z")])
    options = RerankOptions(threshold=0.3, between=False, normalise="receiver", sharpness=1000.0)
    lists = _core.CandidateLists([["x", "y", "z"]])
    made = _core.ConsensusGraph(["a b c d g"], lists, memory, ("identity",), options)
    found = propagated(made, np.full(3, 1 / 3), 1, 0.0).values
    assert found[:, 0] == pytest.approx([0.5, 0.5, 0.0])
