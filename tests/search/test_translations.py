"""Translations and derivations: that they are what the definitions say, for every system."""

from __future__ import annotations

import collections
import itertools
import json
import math

import numpy as np
import pytest
from graphmt import _core, graph
from graphmt.corpus import Tree
from graphmt.errors import InputError, OptionError
from graphmt.model import SearchOptions
from graphmt.rules import ExtractOptions, list_rules
from graphmt.systems import SYSTEMS
from graphmt.training import SidesOptions, TrainOptions, train
from naive_rules import Link, Pair, is_connected
from small_corpora import write
from the_example import EXAMPLE, TURNED

ALL = list(SYSTEMS)
#: Every system with each of its searches: charts have one.
SEARCHES = [(name, search) for name in ALL for search in (["cube"] if SYSTEMS[name].has_chart else ["cube", "stack"])]


def sentences(demo, name):
    return demo.trees() if SYSTEMS[name].needs_trees else demo.texts()


def edges(system, heads, n) -> set[Link]:
    kinds = [kind for kind in ("bigram", "dependency") if getattr(system.links, kind)]
    found = {(int(i), int(j)) for i, j in graph.links(heads or [-1] * n, kinds)}
    return found | {(j, i) for i, j in found}


def check(model, translation, *, hard=True) -> None:
    """A derivation covers the source once, with connected sets, in contexts that are there; its score is its sum."""
    if model.system.has_chart:
        check_tree(model, translation)
        return
    derivation = translation.derivation
    n = len(derivation.source)
    linked = edges(model.system, derivation.heads, n)
    covered: set[int] = set()
    features = dict.fromkeys(model.weights, 0.0)
    last, at = -1, 0
    for step in derivation.steps:
        nodes = set(step.positions)
        assert not covered & nodes
        assert is_connected(frozenset(nodes), linked)
        covered |= nodes
        after = set(range(n)) - covered
        mask = {i for i in nodes if any((i, x) in linked for x in after)}
        assert (step.context is None) == (step.kind in ("basic", "copy"))
        if step.context is not None:
            assert (step.kind == "segmenting") == bool(step.context)
            assert after, "nothing follows the last rule of a sentence, so it has no context"
            if hard:
                assert set(step.context) == mask
            features["context_mismatch"] = features.get("context_mismatch", 0.0) - len(set(step.context) ^ mask)
        first = min(nodes)
        features["distortion"] -= abs(first - last - 1)
        features["gap"] = features.get("gap", 0.0) - (max(nodes) - first + 1 - len(nodes))
        features["rule_penalty"] += 1
        features["word_penalty"] -= len(step.target)
        features["unknown"] -= step.kind == "copy"
        features["basic_rule"] = features.get("basic_rule", 0.0) + (step.context is None)
        assert all(i in nodes and at <= j < at + len(step.target) for i, j in step.alignment)
        assert (step.count == 0) == (step.kind == "copy")
        last, at = max(nodes), at + len(step.target)
    assert covered == set(range(n))
    assert derivation.target == translation.tokens
    for name in ("distortion", "gap", "rule_penalty", "word_penalty", "unknown", "basic_rule", "context_mismatch"):
        if name in model.weights:
            assert translation.features[name] == pytest.approx(features.get(name, 0.0)), name
    total = sum(model.weights[name] * value for name, value in translation.features.items())
    assert translation.score == pytest.approx(total, rel=1e-4, abs=1e-3)


def check_tree(model, translation) -> None:
    """The steps of a chart are a tree that covers both sides once, holes filled by continuous spans of the source."""
    derivation = translation.derivation
    steps, n = derivation.steps, len(derivation.source)
    assert sorted(p for step in steps for p in step.positions) == list(range(n))
    assert sorted(p for step in steps for p in step.places) == list(range(len(translation.tokens)))
    assert sorted(child for step in steps for child in step.children) == list(range(1, len(steps)))

    def spans(number):
        below = [spans(child) for child in steps[number].children]
        sides = [[*own, *(p for span in below for p in span[side])] for side, own in enumerate(_own(steps[number]))]
        for side in sides:
            assert sorted(side) == list(range(min(side), min(side) + len(side))) if side else True
        return sides

    if steps:
        spans(0)
    applied = [step for step in steps if step.kind in ("rule", "phrase", "copy")]
    joined = sum(len(step.children) for step in steps if step.kind == "glue")
    joined += sum(step.kind == "pseudo" for step in steps)
    expected = {
        "rule_penalty": len(applied),
        "word_penalty": -len(translation.tokens),
        "unknown": -sum(step.kind == "copy" for step in steps),
        "glue": joined,
    }
    for name, value in expected.items():
        if name in model.weights:
            assert translation.features[name] == pytest.approx(value), name
    for step in steps:
        assert all(i in step.positions and j in step.places for i, j in step.alignment)
        assert (step.count > 0) == (step.kind in ("rule", "phrase"))
    assert derivation.target == translation.tokens
    total = sum(model.weights[name] * value for name, value in translation.features.items())
    assert translation.score == pytest.approx(total, rel=1e-4, abs=1e-3)


def _own(step):
    return step.positions, step.places


@pytest.mark.parametrize("name", ALL)
def test_every_derivation_of_an_n_best_list(demo, name) -> None:
    model = demo.load(name)
    for best in model.n_best(sentences(demo, name)[:12], 30):
        for one in best:
            check(model, one)


def _spans(steps):
    """From the first to after the last source word below each step."""
    found = {}
    for number in reversed(range(len(steps))):
        places = [*steps[number].positions, *(p for child in steps[number].children for p in found[child])]
        found[number] = (min(places), max(places))
    return {number: (first, last + 1) for number, (first, last) in found.items()}


def test_holes_have_the_labels_of_what_fills_them(demo) -> None:
    """A label of dgst is that of the span below; one of dep2str has the part of speech or the word of its top."""
    seen = collections.Counter()
    for name in ("hpb", "dgst", "dep2str"):
        taken = sentences(demo, name)[:12]
        for tree, best in zip(demo.trees()[:12], demo.load(name).translate(taken), strict=True):
            steps = best.derivation.steps
            heads = _core.projectivise(list(tree.heads))
            found = _core.fragments(heads, list(tree.upos), 99, 2)
            fragments = {(one.first, one.end): one.label for one in found}
            spans = _spans(steps)
            for step in steps:
                assert len(step.labels) == (len(step.children) if step.kind == "rule" else 0)
                for child, label in zip(step.children, step.labels, strict=False):
                    seen[name, label[0]] += 1
                    if name == "hpb":
                        assert label == "X"
                    elif name == "dgst":
                        assert label == fragments[spans[child]]
                    else:
                        first, end = spans[child]
                        tops = [w for w in range(first, end) if not first <= heads[w] < end]
                        known = [tree.forms[w].lower() if label[0] == ":" else tree.upos[w] for w in tops]
                        assert label[1:] in known
    assert {kind for name, kind in seen if name == "dep2str"} >= set("^.+")


@pytest.mark.parametrize("name", ALL)
def test_n_best_lists_descend_and_differ(demo, name) -> None:
    model = demo.load(name)
    taken = sentences(demo, name)[:12]
    plain, distinct = model.n_best(taken, 50), model.n_best(taken, 20, distinct=True)
    for first, best, one in zip(model.translate(taken), plain, distinct, strict=True):
        scores = [t.score for t in best]
        assert all(a >= b - 1e-4 for a, b in itertools.pairwise(scores))
        assert best[0].score == pytest.approx(first.score, abs=1e-4)
        keys = [t.derivation.steps for t in best]
        assert len(keys) == 50
        # Rules of dep2str may differ in the labels of their holes alone, or in being a phrase: steps tell.
        assert len(set(keys)) == 50
        texts = [t.tokens for t in one]
        assert len(set(texts)) == len(texts)
        # The distinct list is the plain one without repetitions, as far as that one goes; then it goes on.
        seen = list(dict.fromkeys(t.tokens for t in best))
        assert texts[: len(seen)] == seen[:20]
        short = len(first.derivation.source) < 6
        assert len(texts) == 20 or (short and len(texts) >= len(seen))


@pytest.mark.parametrize(("name", "search"), SEARCHES)
def test_threads_change_nothing(demo, name, search) -> None:
    model = demo.load(name, search=search, stack_size=30)
    results = [model.n_best(sentences(demo, name)[:20], 3, threads=threads) for threads in (1, 2, 4)]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("name", ALL)
def test_a_wider_search_finds_no_worse_scores(demo, name) -> None:
    taken = sentences(demo, name)[:10]
    narrow = demo.load(name, pop_limit=5, stack_size=5).translate(taken)
    wide = demo.load(name, pop_limit=2000, stack_size=500, beam_threshold=50.0).translate(taken)
    exhaustive = {} if SYSTEMS[name].has_chart else {"search": "stack"}
    exact = demo.load(name, **exhaustive, stack_size=500, beam_threshold=50.0).translate(taken)
    assert sum(t.score for t in narrow) < sum(t.score for t in wide)
    for n, w, e in zip(narrow, wide, exact, strict=True):
        assert w.score >= n.score - 1e-3
        assert w.score == pytest.approx(e.score, abs=1e-3)


@pytest.mark.parametrize(("name", "search"), SEARCHES)
def test_a_copy_with_another_pop_limit_is_the_model_opened_with_it(demo, name, search) -> None:
    taken = sentences(demo, name)[:10]
    opened, copied = (
        demo.load(name, search=search, stack_size=30, pop_limit=3),
        demo.load(name, search=search, stack_size=30).with_pop_limit(3),
    )
    assert copied.search == opened.search
    assert copied.translate(taken) == opened.translate(taken)


def test_no_pops_are_refused(demo) -> None:
    with pytest.raises(OptionError, match="pop-limit must be at least 1"):
        demo.load("pbmt").with_pop_limit(0)


@pytest.mark.parametrize("name", ["pbmt", "gbmt-ctx"])
def test_the_best_path_of_the_search_graph_is_the_best_translation(demo, name) -> None:
    model = demo.load(name)
    for sentence in sentences(demo, name)[:5]:
        best = model.translate(sentence)
        arcs = [json.loads(line) for line in model.search_graph(sentence).json_lines.splitlines()]
        ways = {0: (0.0, ())}
        # Nodes are numbered as they were made, so those before come first in ascending order.
        for arc in sorted(arcs, key=lambda arc: arc["node"]):
            score, path = ways[arc["from"]]
            step = (tuple(arc["positions"]), tuple(arc["target"]))
            ways[arc["node"]] = max(ways.get(arc["node"], (-math.inf, ())), (score + arc["score"], (*path, step)))
        score, path = ways[arcs[0]["node"]]
        assert score == pytest.approx(best.score, abs=1e-3)
        assert path == tuple((step.positions, step.target) for step in best.derivation.steps)


def test_unknown_words_are_copied_as_they_stand_and_said_so(demo) -> None:
    model = demo.load("pbmt")
    best = model.translate("der Qwertz schläft .")
    copied = [step for step in best.derivation.steps if step.kind == "copy"]
    assert [(step.positions, step.target, step.alignment) for step in copied] == [
        ((1,), ("qwertz",), ((1, best.tokens.index("qwertz")),))
    ]
    assert best.features["unknown"] == -1.0
    check(model, best)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("words", [1, 64, 65, 200, 256])
def test_long_sentences(demo, name, words) -> None:
    model = demo.load(name, pop_limit=30, stack_size=20)
    pieces = [tree for tree in demo.trees() for _ in range(20)]
    tokens, heads = [], []
    for tree in pieces:
        heads += [head + len(tokens) if head >= 0 else -1 for head in tree.heads]
        tokens += tree.tokens
    # One root; words whose head was cut off hang on the first.
    heads = [head if head < words else 0 for head in heads[:words]]
    root = heads.index(-1) if -1 in heads else 0
    heads = [-1 if i == root else (root if head == -1 or head == i else head) for i, head in enumerate(heads)]
    tree = Tree(tuple(tokens[:words]), tuple(heads))
    best = model.translate(tree if model.system.needs_trees else " ".join(tree.tokens))
    check(model, best)


def test_an_empty_line_gives_an_empty_translation(demo) -> None:
    model = demo.load("gbmt")
    best = model.translate("")
    assert (best.text, best.tokens, best.score, best.derivation.steps) == ("", (), 0.0, ())
    assert model.n_best([""], 5)[0][0].text == ""
    assert model.search_graph("").json_lines == ""


def test_a_tree_system_says_what_to_do_with_plain_text(demo) -> None:
    with pytest.raises(InputError, match=r"gbmt needs a dependency tree .* sentence 2 .* graphmt corpus parse"):
        demo.load("gbmt").translate([demo.trees()[0], "Er schläft ."])


def test_distortion_limit(demo) -> None:
    def jumps(limit):
        # Jumps cost nothing, so that the limit alone keeps them short.
        model = demo.load("pbmt", distortion_limit=limit).reweighted({"distortion": 0.0})
        for best in model.translate(demo.texts()):
            last, covered = -1, set()
            for step in best.derivation.steps:
                gap = next(i for i in range(99) if i not in covered)
                if step.positions[0] != gap:
                    yield abs(step.positions[0] - last - 1)
                last = step.positions[-1]
                covered |= set(step.positions)

    assert list(jumps(0)) == []
    assert max(jumps(2)) == 2
    assert max(jumps(-1)) > 6 >= max(jumps(6))


def test_the_papers_example_decoded(tmp_path) -> None:
    """As in Figure 2: 2010Nian FIFA by a segmenting rule; by a selecting one where what follows is elsewhere."""
    files = write(tmp_path, [EXAMPLE, TURNED])
    options = TrainOptions(
        sides=SidesOptions(case="none"),
        extract=ExtractOptions(max_source=2, max_target=4),
        search=SearchOptions(distortion_limit=-1),
    )
    model = train(
        "gbmt-ctx",
        source=files["trees"],
        target=files["target"],
        alignment=files["alignment"],
        out=tmp_path / "model",
        options=options,
    ).reweighted({"basic_rule": -5.0, "distortion": 0.0, "gap": 0.0})
    tree = Tree(EXAMPLE.source, heads=EXAMPLE.heads)
    found = model.n_best([tree], 3000)[0]
    contexts = {}
    for one in found:
        check(model, one)
        for step in one.derivation.steps:
            if step.target == ("2010", "FIFA") and step.context is not None:
                contexts.setdefault(one.tokens, set()).add((step.kind, step.context))
    assert contexts[EXAMPLE.target] == {("segmenting", (0, 1))}
    assert contexts[TURNED.target] == {("selecting", ())}


def test_rules_of_one_word_pair_only(tmp_path) -> None:
    """Extraction keeps a pair of 1-word sides apart from any context: the end of a sentence has no context rule."""
    one = Pair(("a",), (-1,), ("x",), frozenset({(0, 0)}))
    assert list_rules(SYSTEMS["gbmt-ctx"], **write(tmp_path, [one])) == ["a ||| x ||| 0-0"]


def test_feature_values_are_numbers_of_python(demo) -> None:
    best = demo.load("gbmt-ctx").translate(demo.trees()[0])
    assert not any(isinstance(value, np.generic) for value in best.features.values())
    assert json.loads(best.as_json(0))["derivation"]["source"] == list(best.derivation.source)
