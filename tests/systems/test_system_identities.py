"""Systems that must be the same: gbmt without a tree is pbmt, gbmt-ctx without contexts is gbmt."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from graphmt.corpus import Tree, read_trees
from graphmt.errors import OptionError
from graphmt.model import Model, load
from graphmt.systems import SYSTEMS, system
from small_corpora import conllu


def same(a, b) -> None:
    assert a.tokens == b.tokens
    assert a.score == pytest.approx(b.score, abs=1e-4)
    assert a.derivation.steps == b.derivation.steps


def test_gbmt_on_chains_is_pbmt(demo, tmp_path) -> None:
    """A tree in which every word hangs on the one before it adds no link to those between neighbours."""

    def chain(tree: Tree) -> Tree:
        return Tree(tree.tokens, heads=tuple(range(-1, len(tree.tokens) - 1)))

    source = tmp_path / "chains.conllu"
    chains = [chain(tree) for tree in read_trees(demo.source)]
    source.write_text("".join(conllu(tree.tokens, tree.heads) for tree in chains), "utf-8")
    model = demo.train("gbmt", tmp_path / "model", source=source, max_span=7).reweighted({"gap": 0.3})
    phrases = demo.load("pbmt")
    assert model.manifest.report["rules"]["basic"] == phrases.manifest.report["rules"]["basic"]
    found = model.n_best([chain(tree) for tree in demo.trees()], 5)
    for ours, theirs in zip(found, phrases.n_best(demo.texts(), 5), strict=True):
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)


def test_gbmt_ctx_with_basic_rules_only_is_gbmt(demo) -> None:
    basic = demo.load("gbmt-ctx", rule_kinds="basic")
    graphs = demo.load("gbmt")
    counts = [model.manifest.report["rules"] for model in (basic, graphs)]
    assert counts[0]["basic"] == counts[1]["basic"] and counts[0]["segmenting"] > 0 == counts[1]["segmenting"]
    for ours, theirs in zip(basic.n_best(demo.trees(), 5), graphs.n_best(demo.trees(), 5), strict=True):
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)


def test_contextual_rules_are_used_where_they_are_there(demo) -> None:
    kinds = {step.kind for best in demo.load("gbmt-ctx").translate(demo.trees()) for step in best.derivation.steps}
    assert kinds >= {"segmenting", "selecting"}


def test_discontinuous_rules_are_used_by_systems_with_trees_only(demo) -> None:
    def gaps(name, sentences) -> int:
        found = demo.load(name).translate(sentences)
        steps = [step.positions for best in found for step in best.derivation.steps]
        return sum(positions[-1] - positions[0] + 1 > len(positions) for positions in steps)

    assert gaps("pbmt", demo.texts()) == 0
    assert gaps("gbmt", demo.trees()) > 0 and gaps("tbmt", demo.trees()) > 0


def test_soft_context(demo, tmp_path) -> None:
    """At a high price nothing changes but the choice between equals; at none, other contexts are used, and counted."""
    hard = demo.load("gbmt-ctx", stack_size=100)
    soft = demo.load("gbmt-ctx", stack_size=100, soft_context=True)
    assert soft.weights["context_mismatch"] == 1.0 and "context_mismatch" not in hard.weights
    for a, b in zip(
        soft.reweighted({"context_mismatch": 1e4}).translate(demo.trees()), hard.translate(demo.trees()), strict=True
    ):
        assert a.tokens == b.tokens
        assert a.score == pytest.approx(b.score, abs=1e-4)
        rules = [[(step.positions, step.target) for step in one.derivation.steps] for one in (a, b)]
        assert rules[0] == rules[1]
    free = soft.reweighted({"context_mismatch": 0.0}).translate(demo.trees())
    assert sum(best.features["context_mismatch"] for best in free) < 0
    assert sum(best.score for best in free) > sum(best.score for best in hard.translate(demo.trees()))
    # A weight in the file counts, and does no harm where context is hard.
    weights = tmp_path / "weights.toml"
    text = (demo.models["gbmt-ctx"] / "weights.toml").read_text()
    weights.write_text(text + "context_mismatch = 0.25\n")
    assert Model(demo.models["gbmt-ctx"], search=soft.search, weights=weights).weights["context_mismatch"] == 0.25
    assert "context_mismatch" not in Model(demo.models["gbmt-ctx"], weights=weights).weights


def test_contexts_as_features(demo) -> None:
    """Every rule is basic: without the features of contexts it is gbmt, and with them each step says its context."""
    informed, graphs = demo.load("gbmt-ctx", contexts="features"), demo.load("gbmt")
    assert not {"context_gain", "context_probability"} & set(demo.load("gbmt-ctx").weights)
    silent = informed.reweighted({"context_gain": 0.0, "context_probability": 0.0, "basic_rule": 0.0})
    for a, b in zip(silent.translate(demo.trees()), graphs.translate(demo.trees()), strict=True):
        assert (a.tokens, a.derivation.target) == (b.tokens, b.derivation.target)
        assert a.score == pytest.approx(b.score, abs=1e-4)
    for best in informed.translate(demo.trees()):
        total = sum(informed.weights[name] * value for name, value in best.features.items())
        assert best.score == pytest.approx(total, rel=1e-4, abs=1e-3)
        *others, last = best.derivation.steps
        assert last.kind in ("basic", "copy"), "nothing follows the last rule, so it has no context"
        if any(step.kind != "copy" for step in others):
            assert best.features["context_probability"] < 0
    assert any(step.kind == "segmenting" for best in informed.translate(demo.trees()) for step in best.derivation.steps)


def test_lexicalised_reordering_is_learned_and_used(demo, tmp_path) -> None:
    model = demo.train("pbmt", tmp_path / "model", reordering=True)
    names = [name for name in model.weights if name.startswith("reorder_")]
    assert len(names) == 6
    plain = demo.load("pbmt")
    switched_off = model.reweighted(dict.fromkeys(names, 0.0))
    for a, b in zip(switched_off.translate(demo.texts()), plain.translate(demo.texts()), strict=True):
        assert (a.tokens, a.derivation) == (b.tokens, b.derivation)
    best = model.translate(demo.texts())
    for one in best:
        # Every step has an orientation towards the previous one: a probability each.
        assert sum(one.features[name] for name in names) < 0
    discouraged = model.reweighted({name: 0.0 if "monotone" in name else 50.0 for name in names})
    inverted = sum(_inversions(one) for one in discouraged.translate(demo.texts()))
    assert inverted < sum(_inversions(one) for one in best)
    assert load(tmp_path / "model").weights == model.weights


def _inversions(best) -> int:
    order = [step.positions[0] for step in best.derivation.steps]
    return sum(a > b for a, b in itertools.pairwise(order))


def test_an_unknown_system_is_refused_with_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"gbmt-cxt.*gbmt-ctx"):
        system("gbmt-cxt")


def test_declarations_are_of_the_table() -> None:
    left_to_right = {name: s for name, s in SYSTEMS.items() if not s.has_chart}
    rows = {name: (*dataclasses.astuple(s.links), s.grammar.context) for name, s in left_to_right.items()}
    assert rows == {
        "pbmt": (True, False, False),
        "tbmt": (False, True, False),
        "gbmt": (True, True, False),
        "gbmt-ctx": (True, True, True),
    }
    assert "basic_rule" in SYSTEMS["gbmt-ctx"].features
    assert {name for name, s in SYSTEMS.items() if s.has_chart and s.needs_trees} >= {"dgst"}
    assert not any(SYSTEMS[name].needs_trees for name in ("pbmt", "hpb", "btg"))
