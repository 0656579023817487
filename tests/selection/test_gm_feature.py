"""Collective lexical selection as a feature of systems, on the demo corpus."""

from __future__ import annotations

import math
import shutil

import numpy as np
import pytest
from graphmt import _core
from graphmt.errors import GraphmtError, InputError, OptionError
from graphmt.model import Model, load
from graphmt.selection.gm import open_gm, walk
from graphmt.training import train

SYSTEMS = ["pbmt", "gbmt-ctx", "hpb"]


def graphs(model: Model, tree):
    found = open_gm(model.folder).graphs(
        model._decoder,
        model.prepare([tree])[0],
        walk(model.search.as_dict()),
    )
    return {
        word.position: {tuple(one.words): one.probability for one in word.candidates}
        for graph in found
        for word in graph.words
    }


@pytest.mark.parametrize("name", SYSTEMS)
def test_weight_nothing_changes_nothing(demo, two_ways, name) -> None:
    trees = demo.trees()[:15]
    plain = load(two_ways[name])
    without = load(two_ways[f"{name}+gm"]).reweighted({"gm": 0.0})
    for a, b in zip(without.translate(trees), plain.translate(trees), strict=True):
        assert (a.tokens, a.derivation.steps) == (b.tokens, b.derivation.steps)
        assert a.score == pytest.approx(b.score, abs=1e-4)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("relatedness", ["pmi", "lm", "embeddings"])
@pytest.mark.parametrize(("prior", "keep"), [(False, False), (True, False), (True, True)])
def test_the_value_is_the_log_of_the_evidence_of_the_words_used(demo, two_ways, name, relatedness, prior, keep) -> None:
    model = load(two_ways[f"{name}+gm"], gm_relatedness=relatedness, gm_prior=prior, gm_keep=keep)
    seen = 0
    for tree in demo.trees()[:15]:
        known = graphs(model, tree)
        best = model.translate(tree)
        value = 0.0
        for step in best.derivation.steps:
            if step.kind == "copy":
                continue
            for position in step.positions:
                if position in known:
                    linked = sorted({t for s, t in step.alignment if s == position})
                    words = tuple(best.tokens[t] for t in linked) if len(linked) <= 3 else ("…",)
                    value += math.log(known[position][words])
                    seen += 1
        assert best.features["gm"] == pytest.approx(value, abs=1e-3)
    assert seen > 10


def test_evidence_is_a_distribution(demo, two_ways) -> None:
    model = load(two_ways["pbmt+gm"])
    of = [candidates for tree in demo.trees() for candidates in graphs(model, tree).values()]
    assert of and all(sum(candidates.values()) == pytest.approx(1) for candidates in of)


def test_a_strong_weight_prefers_what_has_evidence(demo, two_ways) -> None:
    model, trees = load(two_ways["pbmt+gm"]), demo.trees()
    weak, strong = model.reweighted({"gm": 0.0}), model.reweighted({"gm": 2.0})
    total = [sum(best.features["gm"] for best in one.translate(trees)) for one in (weak, strong)]
    assert total[1] > total[0] + 1


def test_translations_that_go_together_support_one_another(demo, two_ways) -> None:
    """In this corpus a word of one spelling is only ever near words of the same spelling: whichever of the two has more
    evidence for one word of a graph has it for all others too."""
    model = load(two_ways["pbmt+gm"])
    agree = total = 0
    for tree in demo.trees():
        found = open_gm(model.folder).graphs(model._decoder, model.prepare([tree])[0], walk(model.search.as_dict()))
        for graph in found:
            best = [max(word.candidates, key=lambda one: one.probability).words for word in graph.words]
            ways = {words[-1].endswith("x") for words in best if words}
            total += 1
            agree += len(ways) == 1
    assert total > 10 and agree / total > 0.6, (agree, total)


def test_the_same_for_any_number_of_threads(demo, two_ways) -> None:
    model = load(two_ways["hpb+gm"])
    assert model.n_best(demo.trees()[:8], 3, threads=1) == model.n_best(demo.trees()[:8], 3, threads=4)


def test_it_goes_with_features_of_ones_own(demo, two_ways) -> None:
    model, tree = load(two_ways["pbmt+gm"]), demo.trees()[0]
    both = model.annotated(lambda options, words: np.ones(len(options.copied)), {"one": 0.0}).translate(tree)
    assert both.features["one"] == len(both.derivation.steps)
    assert both.features["gm"] == model.translate(tree).features["gm"]


def test_a_sentence_without_a_tree_is_refused(demo, two_ways) -> None:
    with pytest.raises(InputError, match=r"pbmt\+gm needs a dependency tree"):
        load(two_ways["pbmt+gm"]).translate(demo.texts()[0])


def test_a_corpus_without_trees_is_refused(demo, tmp_path) -> None:
    text = tmp_path / "train.de"
    text.write_text("ein Wort\n")
    with pytest.raises(InputError, match="gm needs a dependency tree"):
        train("pbmt", source=text, target=text, out=tmp_path / "model", selection=["gm"])


def test_an_unknown_model_is_refused(tmp_path) -> None:
    with pytest.raises(OptionError, match=r"unknown lexical selection model 'gn'.*gm"):
        train("pbmt", source=tmp_path, target=tmp_path, out=tmp_path / "model", selection=["gn"])


def test_a_model_whose_file_is_missing_is_refused(demo, two_ways, tmp_path) -> None:
    shutil.copytree(two_ways["pbmt+gm"], tmp_path / "model")
    (tmp_path / "model" / "gm.bin").unlink()
    with pytest.raises(GraphmtError, match="no such file"):
        load(tmp_path / "model")


def test_graphs_of_a_sentence_that_is_cut(demo, two_ways) -> None:
    """Those of its pieces, by the positions of the whole sentence."""
    model = load(two_ways["pbmt+gm"], pop_limit=8)
    sentences = model.prepare(demo.trees() * 2)
    words, surface, tags = (
        [word for sentence in sentences for word in getattr(sentence, column)][:260]
        for column in ("words", "surface", "tags")
    )
    whole = _core.Sentence(words, surface, [-1, *[0] * 259], tags)
    opened, pieces = open_gm(model.folder), model.decoder.pieces(whole)
    assert len(pieces) > 1

    def found(sentence, first: int) -> list:
        made = opened.graphs(model.decoder, sentence, walk(model.search.as_dict()))
        return [
            [
                (
                    first + word.position,
                    word.importance,
                    [(one.words, one.count, one.association, one.evidence) for one in word.candidates],
                )
                for word in graph.words
            ]
            for graph in made
        ]

    apart = []
    for first, end in pieces:
        tops = [-1, *[-1 if first else 0] * (end - first - 1)]
        apart += found(_core.Sentence(words[first:end], surface[first:end], tops, tags[first:end]), first)
    assert found(whole, 0) == apart and max(words[-1][0] for words in apart) > 128
