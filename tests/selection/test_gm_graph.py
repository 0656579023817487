"""Translation graphs and the random walk of collective lexical selection."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest
from amounts import examples
from graphmt import _core
from graphmt.errors import GraphmtError
from graphmt.selection.gm import GmWalk, walk
from hypothesis import example, given, settings
from hypothesis import strategies as st

#: The example of the paper (figure 2 and table 1): "issue" with three candidates, "hold" with three of which one is
#: the empty translation, "position" with two. Content words are numbered in this order, without the empty one.
CANDIDATES = {
    "wenti": ["problem", "question", "issue"],
    "chiyou": ["hold", "", "possess"],
    "lichang": ["stance", "position"],
}
CONTENT = ["problem", "question", "issue", "hold", "possess", "stance", "position"]


@dataclass(frozen=True)
class Given:
    """A candidate as the core takes it: how often it was seen, and its content words."""

    count: int
    content: list[int]


@dataclass(frozen=True)
class GivenWord:
    """A word as the core takes it."""

    importance: float
    candidates: list[Given]


def made(words, pairs, matrix, **walk: object) -> _core.TranslationGraph:
    """The core's graph of words given as (importance, [(count, content words)])."""
    given = [GivenWord(importance, [Given(*one) for one in candidates]) for importance, candidates in words]
    return _core.translation_graph(given, pairs, matrix, GmWalk(**walk))


def candidates_of(graph: _core.TranslationGraph) -> list[list[_core.GraphCandidate]]:
    return [word.candidates for word in graph.words]


def edges_of(graph: _core.TranslationGraph) -> list[tuple[tuple[int, int], tuple[int, int], float]]:
    return [(edge.first, edge.second, edge.weight) for edge in graph.edges]


def the_example(counts: dict[str, list[int]], relatedness: np.ndarray, **walk: float):
    words = [
        (1.0, [(n, [CONTENT.index(text)] if text else []) for n, text in zip(counts[word], texts, strict=True)])
        for word, texts in CANDIDATES.items()
    ]
    graph = made(words, [(0, 1), (0, 2), (1, 2)], relatedness.tolist(), **walk)
    return candidates_of(graph), edges_of(graph)


def test_the_example_of_the_paper() -> None:
    # TP(chiyou, hold) = 0.22 and TP(lichang, position) = 0.47 are the paper's; the other figures of its figure 2 are
    # ours, such that problem is the most frequent translation and issue is the one that goes with the others.
    counts = {"wenti": [50, 20, 14], "chiyou": [22, 6, 14], "lichang": [36, 47]}
    relatedness = np.full((7, 7), 0.1)
    for a, b in [("issue", "hold"), ("issue", "position"), ("hold", "position")]:
        i, j = CONTENT.index(a), CONTENT.index(b)
        relatedness[i, j] = relatedness[j, i] = 3.0
    found, edges = the_example(counts, relatedness)
    assert [len(of) for of in found] == [3, 3, 2]
    # Equation (1): TP normalised over the candidates of the graph.
    assert found[1][0].association == pytest.approx(0.22 / (0.22 + 0.06 + 0.14))
    assert found[2][1].association == pytest.approx(0.47 / (0.36 + 0.47))
    # Equation (3): edges between translations of different words only, out of each they add up to 1; none from null.
    out: dict[tuple[int, int], float] = {}
    for origin, to, weight in edges:
        assert origin[0] != to[0]
        out[origin] = out.get(origin, 0.0) + weight
    assert (1, 1) not in out and all(to != (1, 1) for _, to, _ in edges)
    assert out == pytest.approx({(i, j): 1.0 for i, of in enumerate(found) for j in range(len(of)) if (i, j) != (1, 1)})
    # Equation (2): RS normalised; from issue to hold, possess, stance and position.
    weight = {(origin, to): weight for origin, to, weight in edges}
    assert weight[(0, 2), (1, 0)] == pytest.approx(3.0 / (3.0 + 0.1 + 0.1 + 3.0))
    # The normalised evidence is a probability over the candidates of each word, and the right ones win now.
    for of in found:
        total = sum(one.evidence for one in of)
        assert [one.probability for one in of] == pytest.approx([one.evidence / total for one in of])
    best = [max(range(len(of)), key=lambda k: of[k].probability) for of in found]
    assert [texts[k] for texts, k in zip(CANDIDATES.values(), best, strict=True)] == ["issue", "hold", "position"]


def test_the_normalisation_of_the_paper() -> None:
    """Section 3.2.3: 0.1218 / (0.1218 + 0.0244 + 0.0604) = 0.5895, whatever the scale of the evidence."""
    # With nothing related, evidence is proportional to counts.
    counts = {"wenti": [1, 1, 1], "chiyou": [1218, 244, 604], "lichang": [1, 1]}
    found, edges = the_example(counts, np.zeros((7, 7)))
    assert not edges
    assert found[1][0].probability == pytest.approx(0.5895, abs=5e-5)


@st.composite
def graphs(draw: st.DrawFn):
    number = draw(st.integers(1, 4))
    contents = 5
    words = [
        (
            draw(st.floats(0.1, 5)),
            draw(
                st.lists(
                    st.tuples(st.integers(0, 9), st.lists(st.integers(0, contents - 1), max_size=2)),
                    min_size=1,
                    max_size=4,
                )
            ),
        )
        for _ in range(number)
    ]
    pairs = [(a, b) for a in range(number) for b in range(a + 1, number) if draw(st.booleans())]
    row = st.lists(st.sampled_from([0.0, 0.0, 0.2, 1.0, 3.5]), min_size=contents, max_size=contents)
    relatedness = draw(st.lists(row, min_size=contents, max_size=contents))
    return words, pairs, relatedness


def naive(words, pairs, relatedness, prior=False):
    """M and V⁰ of the whole graph, node by node, as the paper writes them."""
    nodes = [(w, None) for w in range(len(words))]
    nodes += [(w, c) for w, (_, candidates) in enumerate(words) for c in range(len(candidates))]
    at = {node: k for k, node in enumerate(nodes)}
    m, v0 = np.zeros((len(nodes), len(nodes))), np.zeros(len(nodes))
    for w, (importance, candidates) in enumerate(words):
        v0[w] = importance / sum(other for other, _ in words)
        total = sum(count for count, _ in candidates)
        for c, (count, _) in enumerate(candidates):
            m[at[w, c], w] = count / total if total else 1 / len(candidates)

    def rs(a, b) -> float:
        values = [relatedness[t][u] for t in a for u in b]
        return sum(values) / len(values) if values else 0.0

    neighbours = {(a, b) for x, y in pairs for a, b in ((x, y), (y, x))}
    for w, (_, candidates) in enumerate(words):
        for c, (_, content) in enumerate(candidates):
            to = [(x, k) for a, x in neighbours if a == w for k in range(len(words[x][1]))]
            weights = [rs(content, words[x][1][k][1]) * (m[at[x, k], x] if prior else 1) for x, k in to]
            for node, weight in zip(to, weights, strict=True):
                if sum(weights) > 0:
                    m[at[node], at[w, c]] = weight / sum(weights)
    return m, v0, at


@settings(max_examples=examples(200), deadline=None)
@given(graphs(), st.floats(0.1, 0.5), st.booleans())
def test_the_walk_is_the_closed_form(graph, reallocation, prior) -> None:
    """λ (I − (1 − λ) M)⁻¹ V⁰ to 1e-6, also where candidates with the same content words walk together."""
    words, pairs, relatedness = graph
    found = made(words, pairs, relatedness, reallocation=reallocation, epsilon=1e-9, rounds=1000, prior=prior)
    m, v0, at = naive(words, pairs, relatedness, prior)
    closed = reallocation * np.linalg.solve(np.eye(len(v0)) - (1 - reallocation) * m, v0)
    for w, of in enumerate(candidates_of(found)):
        for c, one in enumerate(of):
            assert one.association == pytest.approx(m[at[w, c], w])
            assert one.evidence == pytest.approx(closed[at[w, c]], abs=1e-6)
    edges = {(at[origin], at[to]): weight for origin, to, weight in edges_of(found)}
    wanted = {(j, i): m[i, j] for i, j in np.argwhere(m > 0).tolist() if j >= len(words)}
    assert edges == pytest.approx(wanted)


@settings(max_examples=examples(100), deadline=None)
@given(graphs(), st.booleans())
def test_candidates_that_nothing_supports_may_keep_their_share(graph, prior) -> None:
    """With keep: candidates without content words have their association, the others the rest, by evidence."""
    words, pairs, relatedness = graph
    walk = {"reallocation": 0.15, "epsilon": 1e-9, "rounds": 200, "prior": prior}
    found, plain = (made(words, pairs, relatedness, **walk, keep=keep) for keep in (True, False))
    assert edges_of(found) == edges_of(plain)
    for (_, candidates), kept, before in zip(words, candidates_of(found), candidates_of(plain), strict=True):
        supported = [bool(content) for _, content in candidates]
        assert [(one.association, one.evidence) for one in kept] == [(one.association, one.evidence) for one in before]
        rest = sum(one.association for one, has in zip(kept, supported, strict=True) if has)
        evidence = sum(one.evidence for one, has in zip(kept, supported, strict=True) if has)
        for one, has in zip(kept, supported, strict=True):
            wanted = one.evidence / evidence * rest if has and evidence > 0 else one.association
            assert one.probability == pytest.approx(wanted)
        assert sum(one.probability for one in kept) == pytest.approx(1)


#: With a small λ its rounds differ little long before the walk has arrived.
SLOW = (
    [(1.0, [(0, [])] * 3 + [(0, [1])]), (3.0, [(0, [4]), (0, [0, 1])]), (5.0, [(0, [])] * 2 + [(0, [0, 1])])],
    [(0, 1), (1, 2)],
    [[0.0, 0.0, 0.0, 0.0, 0.2], [0.0, 1.0, 0.0, 0.0, 0.0], *[[0.0] * 5] * 3],
)


@settings(max_examples=examples(50), deadline=None)
@given(graphs(), st.sampled_from([0.01, 0.05, 0.1, 0.15, 0.5, 0.99]))
@example(SLOW, 0.01)
def test_the_rounds_of_the_decoder_are_enough(graph, reallocation) -> None:
    """A hundred for the paper's λ, more for smaller ones."""
    words, pairs, relatedness = graph
    asked = walk({"gm_relatedness": "pmi", "gm_prior": False, "gm_keep": False, "gm_reallocation": reallocation})
    assert asked.rounds == 100 or reallocation < 0.15
    found = made(words, pairs, relatedness, **dataclasses.asdict(asked))
    m, v0, at = naive(words, pairs, relatedness)
    closed = reallocation * np.linalg.solve(np.eye(len(v0)) - (1 - reallocation) * m, v0)
    for w, of in enumerate(candidates_of(found)):
        assert [one.evidence for one in of] == pytest.approx([closed[at[w, c]] for c in range(len(of))], abs=1e-6)


def test_what_does_not_go_together_is_refused() -> None:
    for words, pairs in (([(1.0, [(1, [5])])], []), ([(1.0, [(1, [0])])], [(0, 1)])):
        with pytest.raises(GraphmtError, match="do not go together"):
            made(words, pairs, [[1.0]])
