"""Structured label propagation through the bindings: formulas (3), (7), (8), (9), (11)."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import plain_formulas
import pytest
from amounts import examples
from graphmt import _core
from graphmt.consensus import RerankOptions, make_memory
from graphmt.errors import InputError
from hypothesis import given, settings
from hypothesis import strategies as st

SENTENCE = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=6).map(" ".join)
LABEL = st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=5).map(" ".join)
LIST = st.lists(LABEL, min_size=1, max_size=3, unique=True)


def graph(
    sources: list[str],
    lists: list[list[str]],
    memory: _core.TranslationMemory | None,
    similarities: tuple[str, ...] = ("dice1", "dice2", "dice3", "dice4"),
    normalised: str = "neighbour",
) -> _core.ConsensusGraph:
    options = RerankOptions(threshold=0.3, between=True, normalise=normalised)
    return _core.ConsensusGraph(sources, _core.CandidateLists(lists), memory, similarities, options)


def propagated(made: _core.ConsensusGraph, start: np.ndarray, rounds: int, tolerance: float = 0.0) -> _core.Propagated:
    return made.propagate(start, RerankOptions(rounds=rounds, tolerance=tolerance))


def test_three_nodes_after_one_and_two_rounds() -> None:
    """A training node and two open ones in a row, worked out by hand.

    Sources: t = "a b c d e", f = "a b c d f", g = "g b c d f". By formula (10) w(t, f) = w(f, g), as both pairs share
    four of five words in a row; w(t, g) is 0.0375 + 0.0685 + 0.1160 = 0.2220, too little for an edge. So T_s of f is
    1/2 and 1/2, and that of g is 1.
    """
    memory = make_memory([("a b c d e", "x y")])
    lists = [["x y", "z u"], ["x u", "z u"]]
    made = graph(["a b c d f", "g b c d f"], lists, memory, ("dice1",))
    # T_l by formula (8) with Dice of words. From t: x y has 1, z u shares nothing: 0.
    # From g to f: x y has sim 1/2 and 0 to (x u, z u), so 1 and 0; z u has 1/2 and 1, so 1/3 and 2/3.
    # From f to g: x u has 1/2 and 1/2 to (x y, z u), so 1/2 and 1/2; z u has 0 and 1.
    start = np.array([0.7, 0.3, 0.2, 0.8])
    first = [0.5 + 0.5 * 0.2, 0.5 * (0.2 / 3 + 0.8 * 2 / 3), 0.5 * 0.7 + 0.5 * 0.3, 0.3]
    second = [
        0.5 + 0.5 * first[2],
        0.5 * (first[2] / 3 + first[3] * 2 / 3),
        0.5 * first[0] + 0.5 * first[1],
        first[1],
    ]
    for rounds, wanted in ((1, first), (2, second)):
        last = propagated(made, start, rounds)
        found, done = last.values, last.rounds
        assert (found[:, 0], done) == (pytest.approx(wanted, abs=1e-6), rounds)


@settings(max_examples=examples(60))
@given(
    st.lists(st.tuples(SENTENCE, LABEL), min_size=1, max_size=6),
    st.lists(st.tuples(SENTENCE, LIST), min_size=1, max_size=4),
    st.integers(1, 3),
)
def test_formula_7_as_written(pairs: list[tuple[str, str]], nodes: list[tuple[str, list[str]]], rounds: int) -> None:
    memory: dict[str, Counter[str]] = defaultdict(Counter)
    for source, target in pairs:
        memory[source][target] += 1
    fixed = {s: {t: k / c.total() for t, k in c.items()} for s, c in memory.items()}
    sources, lists = [source for source, _ in nodes], [own for _, own in nodes]
    posteriors = [[(k + 1) / sum(range(1, len(own) + 1)) for k in range(len(own))] for own in lists]
    made = graph(sources, lists, make_memory(pairs))
    flat = np.array([p for own in posteriors for p in own])
    found = propagated(made, flat, rounds).values
    for n in range(1, 5):
        wanted = plain_formulas.propagated(sources, lists, posteriors, fixed, threshold=0.3, n=n, rounds=rounds)
        assert found[:, n - 1] == pytest.approx([p for own in wanted for p in own], abs=1e-5)
    each = made.propagate(flat, RerankOptions(rounds=rounds, tolerance=0.0, per_sentence=True)).values
    assert (each == found).all()


@settings(max_examples=examples(60))
@given(
    st.lists(st.tuples(SENTENCE, LABEL), min_size=1, max_size=6),
    st.lists(st.tuples(SENTENCE, LIST), min_size=1, max_size=4),
    st.sampled_from(["neighbour", "receiver", "plain"]),
)
def test_identity_is_ordinary_label_propagation(
    pairs: list[tuple[str, str]], nodes: list[tuple[str, list[str]]], normalised: str
) -> None:
    """Rule (2): p of a label is the weighted mean of the p of the same label at the neighbours."""
    # Every sentence is in the memory, so that none swings for ever.
    pairs = pairs + [(source, own[0]) for source, own in nodes]
    sources, lists = [source for source, _ in nodes], [own for _, own in nodes]
    made = graph(sources, lists, make_memory(pairs), ("identity",), normalised)
    known: dict[str, Counter[str]] = defaultdict(Counter)
    for source, target in pairs:
        known[source][target] += 1
    p = [{label: 1 / len(own) for label in own} for own in lists]
    for _ in range(3):
        following = []
        for node, source in enumerate(sources):
            around = [
                (plain_formulas.similarity(source, s), {t: k / c.total() for t, k in c.items()})
                for s, c in known.items()
            ]
            around += [(plain_formulas.similarity(source, s), p[k]) for k, s in enumerate(sources) if k != node]
            around = [(w, of) for w, of in around if w >= 0.3]
            total = sum(w for w, _ in around)
            following.append(
                {e: sum(w * of.get(e, 0.0) for w, of in around) / total for e in lists[node]} if around else p[node]
            )
        p = following
    start = np.array([1 / len(own) for own in lists for _ in own])
    found = propagated(made, start, 3).values
    assert found[:, 0] == pytest.approx([of[e] for of, own in zip(p, lists, strict=True) for e in own], abs=1e-6)


def test_fixed_labels_stay_fixed_and_propagation_converges() -> None:
    """An open node beside a training node alone hears the same in every round; beside another, it converges."""
    memory = make_memory([("a b c d e", "x y"), ("a b c d e", "x z"), ("k l m n", "x x")])
    alone = graph(["a b c d f"], [["x y", "x z", "y"]], memory)
    start = np.array([0.1, 0.1, 0.8])
    one = propagated(alone, start, 1).values
    last = propagated(alone, start, 50, 1e-12)
    many, rounds, change = last.values, last.rounds, last.change
    assert (one == many).all() and rounds == 2 and change == 0.0
    pair = graph(["a b c d f", "g b c d f"], [["x y", "x z", "y"], ["x y", "y y"]], memory)
    both = np.array([0.1, 0.1, 0.8, 0.5, 0.5])
    last = propagated(pair, both, 500, 1e-12)
    found, rounds, change = last.values, last.rounds, last.change
    assert rounds < 500 and change <= 1e-12
    again = propagated(pair, found[:, 0].copy(), 1).values
    assert again[:, 0] == pytest.approx(found[:, 0], abs=1e-9)
    (near,) = memory.neighbours(["a b c d e"], 0.3)[0]
    assert {one.text: one.probability for one in near.translations} == {"x y": 0.5, "x z": 0.5}


@given(LIST, st.sampled_from(["neighbour", "plain"]))
def test_local_consensus_as_written(labels: list[str], normalised: str) -> None:
    """Formula (11) with (8)."""
    p = [(k + 1) / sum(range(1, len(labels) + 1)) for k in range(len(labels))]
    found = _core.CandidateLists([labels]).local_consensus(
        np.array(p), ["dice1", "dice2"], RerankOptions(normalise=normalised)
    )
    for n in (1, 2):
        for place, e in enumerate(labels):
            t = plain_formulas.dice if normalised == "plain" else None
            wanted = sum(
                q * (t(e, other, n) if t else plain_formulas.transfer(e, other, labels, n))
                for q, other in zip(p, labels, strict=True)
            )
            assert found[place, n - 1] == pytest.approx(wanted, abs=1e-6)


def test_what_does_not_fit_is_refused() -> None:
    lists = _core.CandidateLists([["x"]])
    with pytest.raises(InputError, match="1 n-best lists"):
        graph(["a", "b"], [["x"]], None)
    with pytest.raises(InputError, match="finite"):
        lists.local_consensus(np.array([np.nan]), ["dice1"], RerankOptions(normalise="plain"))
    with pytest.raises(InputError, match="list of sentence 2 is empty"):
        _core.CandidateLists([["x"], []])
    with pytest.raises(InputError, match="not finished"):
        graph(["a"], [["x"]], _core.TranslationMemory())
