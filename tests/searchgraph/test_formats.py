"""What other programs read from a search graph: the model's best translation, and its n-best list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from amounts import examples
from graphmt.corpus import Tree
from graphmt.model import Model
from graphmt.searchgraph import SearchGraph
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_models import Trained

from .readers import Edge, best, cdec, derivations, osg, slf

LATTICES, FORESTS = ("pbmt", "gbmt", "gbmt-ctx"), ("hpb", "btg", "dgst", "dep2str")
#: A search that keeps so little that all derivations can be listed.
SMALL = {"pop_limit": 3, "stack_size": 3, "table_limit": 2}
MOST = 3000


@pytest.fixture(scope="module")
def models(demo: Trained) -> dict[str, Model]:
    return {name: demo.load(name, **SMALL) for name in (*LATTICES, *FORESTS)}


def read(graph: SearchGraph) -> list[tuple[Mapping[int, Sequence[Edge]], int, int | None]]:
    """The graph as each format has it: edges, goal, start."""
    found: list[tuple[Mapping[int, Sequence[Edge]], int, int | None]] = [(*cdec(graph.cdec())[:2], None)]
    if graph.is_lattice:
        found += [(*osg(graph.osg())[:2], 0), (*slf(graph.slf()), 0)]
    return found


@st.composite
def sentences(draw: st.DrawFn, trees: list[Tree]) -> Tree:
    """The beginning of a sentence; words whose head is cut off hang on the first one, which is the root."""
    tree = draw(st.sampled_from(trees))
    size = draw(st.integers(1, 5))
    heads = [-1, *(head if 0 < head < size else 0 for head in tree.heads[1:size])]
    return Tree(tree.tokens[:size], tuple(heads), tree.upos[:size])


@pytest.mark.parametrize("name", [*LATTICES, *FORESTS])
@settings(max_examples=examples(12))
@given(data=st.data())
def test_the_derivations_are_the_n_best_list(demo, models, name: str, data: st.DataObject) -> None:
    model = models[name]
    tree = data.draw(sentences(demo.trees()))
    sentence = tree if model.system.needs_trees else " ".join(tree.tokens)
    listed = model.n_best(sentence, MOST, threads=1)
    assume(len(listed) < MOST)
    for edges, goal, start in read(model.search_graph(sentence)):
        found = derivations(edges, goal, start)
        assert [score for score, _ in found] == pytest.approx([one.score for one in listed], abs=2e-3)
        of_text: dict[tuple[str, ...], list[float]] = {}
        for score, words in found:
            of_text.setdefault(words, []).append(score)
        for one in listed:
            scores = of_text[one.tokens]
            scores.remove(min(scores, key=lambda score: abs(score - one.score)))
        assert not any(of_text.values())


@pytest.mark.parametrize("name", [*LATTICES, *FORESTS])
def test_the_best_path_is_the_translation(demo, name: str) -> None:
    model = demo.load(name, pop_limit=50)
    for tree in demo.trees()[:4]:
        sentence = tree if model.system.needs_trees else " ".join(tree.tokens)
        expected = model.translate(sentence)
        for edges, goal, start in read(model.search_graph(sentence)):
            score, words = best(edges, goal, start)
            assert score == pytest.approx(expected.score, abs=2e-3) and words == expected.tokens


@pytest.mark.parametrize(("name", "words"), [("pbmt", 600), ("hpb", 1001)])
def test_pieces_of_a_long_sentence_are_one_graph(demo, name: str, words: int) -> None:
    model = demo.load(name, **SMALL, **({"max_span": 4} if name == "hpb" else {}))
    tokens = [word for text in demo.texts() * 20 for word in text.split()][:words]
    graph, expected = model.search_graph(" ".join(tokens)), model.translate(" ".join(tokens))
    covered = sorted({place for edge in graph.edges for place in edge.positions})
    assert covered == list(range(words)) and '"piece": 1' in graph.json_lines
    for edges, goal, start in read(graph):
        score, found = best(edges, goal, start)
        assert score == pytest.approx(expected.score, rel=1e-4) and found == expected.tokens


def test_the_fields_of_moses(demo) -> None:
    """Scores add up, forward leads along the best completion, and spans lie in the sentence."""
    graph = demo.load("gbmt", **SMALL).search_graph(demo.trees()[0])
    _, _, rows = osg(graph.osg(7))
    by_id = {row["hyp"]: row for row in rows}
    assert [int(row["hyp"]) for row in rows] == list(range(1, len(rows) + 1)) and {row["sentence"] for row in rows} == {
        "7"
    }
    whole = max(float(row["score"]) for row in rows if row["forward"] == "-1")
    for row in rows:
        score, transition, fscore = (float(row[name]) for name in ("score", "transition", "fscore"))
        before = by_id.get(row["back"], {"score": "0", "stack": "0"})
        assert score == pytest.approx(float(before["score"]) + transition, abs=1e-3)
        assert int(before["stack"]) < int(row["stack"]) <= len(graph.source)
        assert 0 <= int(row["first"]) <= int(row["last"]) < len(graph.source)
        assert (score + fscore <= whole + 1e-3 and "recombined" not in before) or before["recombined"] is None
        if (ahead := by_id.get(row["forward"])) is not None:
            assert ahead["back"] == (row["recombined"] or row["hyp"])
            assert fscore == pytest.approx(float(ahead["transition"]) + float(ahead["fscore"]), abs=1e-3)


def test_the_rules_of_a_forest_cover_the_source(demo) -> None:
    model = demo.load("hpb", **SMALL)
    graph = model.search_graph(demo.texts()[0])
    _, _, sides = cdec(graph.cdec())
    assert {word for side in sides for word in side.split() if not word.startswith("[")} == set(graph.source)


#: A word before and after: nothing that a reader takes for something else.
WORDS = ["|||", "[1]", "[X,1]", '"a"', "'s", "a\\b", "a b\n", "!", "=", "ä"]


def test_words_that_look_like_syntax() -> None:
    rows = [
        f'{{"node": {k + 1}, "from": {k}, "positions": [{k}], "target": ["{word}"], "score": -1.5}}\n'
        for k, word in enumerate(w.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for w in WORDS)
    ]
    empty = (
        f'{{"node": {len(WORDS) + 1}, "from": {len(WORDS)}, "positions": [{len(WORDS)}], "target": [], "score": 0}}\n'
    )
    graph = SearchGraph((*WORDS, "x"), "".join([empty, *reversed(rows)]), is_lattice=True)
    (found,) = derivations(*slf(graph.slf()), 0)
    assert found == (-15.0, ("|||", "[1]", "[X,1]", '"a"', "'s", "a\\b", "a_b", "!", "=", "ä"))
    (found,) = derivations(*cdec(graph.cdec())[:2])
    assert found[1][:3] == ("&#124;&#124;&#124;", "&#91;1&#93;", "&#91;X,1&#93;") and found[1][6] == "a_b"
    (found,) = derivations(*osg(graph.osg())[:2], 0)
    assert found == (-15.0, tuple(" ".join(WORDS).split()))


def test_an_empty_sentence(demo) -> None:
    graph = demo.load("pbmt").search_graph("")
    assert (graph.osg(3), graph.cdec(), graph.edges, graph.goal) == ("3 hyp=0 stack=0\n", "{}\n", (), 0)
    assert derivations(*slf(graph.slf()), 0) == [(0.0, ())]
