"""All models of lexical selection in one system: features that stand side by side, and what is explained of them."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ElementTree

import pytest
from graphmt.errors import InputError
from graphmt.explain import explain
from graphmt.model import load
from typer.testing import CliRunner

FEATURES = {
    "gm",
    "rule_selection",
    "no_selection",
    "word_selection",
    "order_holes",
    "order_words",
    "topic_distance_source",
    "topic_distance_target",
    "topic_entropy_source",
    "topic_entropy_target",
}


@pytest.mark.parametrize("name", ["pbmt", "gbmt-ctx", "hpb"])
def test_weights_of_nothing_change_nothing(demo, two_ways, name) -> None:
    trees = demo.trees()[:15]
    model = load(two_ways[f"{name}+all"])
    silent = model.reweighted(dict.fromkeys(FEATURES, 0.0))
    for a, b in zip(silent.translate(trees), load(two_ways[name]).translate(trees), strict=True):
        assert (a.tokens, a.derivation.steps) == (b.tokens, b.derivation.steps)
        assert a.score == pytest.approx(b.score, abs=1e-4)
        assert set(a.features) - set(b.features) == FEATURES
        # All values are there: a rule has a classifier or is counted, and every rule has topics.
        rules = [step for step in a.derivation.steps if step.kind not in ("copy", "glue")]
        assert a.features["rule_selection"] < 0 or a.features["no_selection"] == len(rules)
        assert a.features["no_selection"] <= len(rules)
        assert not rules or a.features["topic_entropy_source"] > 0


@pytest.mark.parametrize("name", ["pbmt", "hpb"])
def test_the_same_for_any_number_of_threads(demo, two_ways, name) -> None:
    model = load(two_ways[f"{name}+all"])
    assert model.n_best(demo.trees()[:8], 3, threads=1) == model.n_best(demo.trees()[:8], 3, threads=4)


def test_gm_has_the_same_value_beside_others(demo, two_ways) -> None:
    alone, beside = load(two_ways["hpb+gm"]), load(two_ways["hpb+all"]).reweighted(dict.fromkeys(FEATURES, 0.0))
    for tree in demo.trees()[:10]:
        a, b = alone.reweighted({"gm": 0.0}).translate(tree), beside.translate(tree)
        assert a.features["gm"] == b.features["gm"]


def test_tsm_has_the_same_values_beside_others(demo, two_ways) -> None:
    """Alone it is asked once for each source side, beside others for each place."""
    topics = [name for name in FEATURES if name.startswith("topic")]
    alone, beside = load(two_ways["hpb+tsm"]), load(two_ways["hpb+all"]).reweighted(dict.fromkeys(FEATURES, 0.0))
    for tree in demo.trees()[:10]:
        a, b = alone.reweighted(dict.fromkeys(topics, 0.0)).translate(tree), beside.translate(tree)
        assert [a.features[name] for name in topics] == [b.features[name] for name in topics]
        assert any(a.features[name] for name in topics)


def test_what_is_remembered_of_other_sentences_changes_nothing(demo, two_ways) -> None:
    """Documents of three sentences each, so that values are of use for the next sentence or must be forgotten."""
    model = load(two_ways["hpb+tsm"]).reweighted({"topic_distance_source": -2.0, "topic_distance_target": -2.0})
    trees = [
        dataclasses.replace(tree, comments=("# newdoc",) if number % 3 == 0 else ())
        for number, tree in enumerate(demo.trees()[:12])
    ]
    prepared = model.prepare(trees)
    assert len({tuple(one.topics) for one in prepared}) > 2
    together = model.n_best_prepared(prepared, 3, threads=1)
    # A model with other weights has no memory yet.
    apart = [model.reweighted({}).n_best_prepared([one], 3, threads=1)[0] for one in prepared]
    assert together == apart


def test_the_document_changes_what_is_near_a_topic(demo, two_ways) -> None:
    """The same sentence in documents that begin at other places."""
    model = load(two_ways["pbmt+all"])
    trees = demo.trees()[:6]
    marked = [dataclasses.replace(tree, comments=("# newdoc",)) for tree in trees]
    together, apart = model.prepare(trees), model.prepare(marked)
    assert len({tuple(one.topics) for one in together}) == 1
    assert len({tuple(one.topics) for one in apart}) > 1
    for one in (*together, *apart):
        assert sum(one.topics) == pytest.approx(1, abs=1e-5) and len(one.topics) == 3


def test_explain(demo, two_ways) -> None:
    model = load(two_ways["hpb+all"])
    drawn = 0
    for tree in demo.trees()[:8]:
        found = explain(model, tree, most=3)
        assert found.translation.tokens == model.translate(tree).tokens
        drawn += len(found.graphs)
        for graph in found.graphs:
            for word in graph.words:
                shown = [one.probability for one in word.candidates]
                assert shown == sorted(shown, reverse=True) and sum(shown) <= 1 + 1e-9
                assert len(shown) <= 3
                assert word.text in found.text
            root = ElementTree.fromstring(graph.svg)
            assert root.tag.endswith("svg")
            written = "".join(root.itertext())
            assert all(word.text in written for word in graph.words)
    assert drawn


def test_a_model_without_selection_has_nothing_to_explain(demo, two_ways) -> None:
    with pytest.raises(InputError, match="no lexical selection"):
        explain(load(two_ways["pbmt"]), demo.trees()[0])


def test_the_command(demo, two_ways, tmp_path) -> None:
    from graphmt.cli import app

    one = tmp_path / "one.conllu"
    one.write_text("".join(tree.conllu() for tree in demo.trees()[:8]), "utf-8")
    asked = ["explain", str(two_ways["pbmt+gm"]), str(one), "--svg", str(tmp_path / "svg"), "--gm-relatedness", "lm"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert "with " in done.output and "→" in done.output
    assert list((tmp_path / "svg").glob("sentence-*-graph-*.svg"))
