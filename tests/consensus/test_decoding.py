"""Decoding with consensus (section 5.2), on models of the demo corpus."""

from __future__ import annotations

import dataclasses
import math
import shutil
from itertools import islice
from pathlib import Path

import pytest
from graphmt import _core
from graphmt.consensus import (
    ConsensusDecoder,
    ConsensusOptions,
    learn_decoding,
    load_span_memory,
    make_span_memory,
    save_span_memory,
)
from graphmt.consensus.decode_learning import START
from graphmt.consensus.decoding import FEATURES, graph
from graphmt.consensus.tied import TiedModel
from graphmt.corpus import read_trees
from graphmt.errors import InputError
from graphmt.model import Manifest, Model
from graphmt.rules import filtered
from graphmt.tune import TunedModel, TuneOptions
from plain_formulas import dice, similarity
from small_models import Trained

FLOOR = 1e-4


@pytest.fixture(scope="module")
def memory(demo: Trained) -> _core.TranslationMemory:
    """The spans of the first training pairs."""
    made, _ = make_span_memory(demo.load("btg"), islice(_pairs(demo), 60), threads=1)
    return made


def _pairs(demo: Trained):
    return zip(read_trees(demo.source), demo.target.read_text("utf-8").splitlines(), strict=True)


def _options(**changed: object) -> ConsensusOptions:
    return ConsensusOptions(**{"threads": 1, **changed})


@pytest.mark.parametrize("search", ["forest", "cells"])
@pytest.mark.parametrize("system", ["btg", "hpb", "dgst", "dep2str"])
def test_with_zero_weights_it_is_the_baseline(
    demo: Trained, memory: _core.TranslationMemory, system: str, search: str
) -> None:
    model, trees = demo.load(system, pop_limit=60), demo.trees()[:12]
    made = graph(model, model.prepare(trees), memory, _options(search=search))
    decoding = model.with_consensus(made, dict.fromkeys(FEATURES, 0.0))
    wanted = model.n_best(trees, 5, distinct=True, threads=1)
    found = decoding.n_best(trees, 5, distinct=True, threads=1)
    for own, other in zip(wanted, found, strict=True):
        assert own[0].tokens == other[0].tokens
        assert [one.score for one in other] == pytest.approx([one.score for one in own], abs=1e-3)


@pytest.mark.parametrize("system", ["btg", "hpb"])
def test_the_translations_of_the_forest_are_ranked_by_all_features(
    demo: Trained, memory: _core.TranslationMemory, system: str
) -> None:
    """The same as re-ranking a list of the model alone that is as long as the pool."""
    model, trees = demo.load(system, pop_limit=60), demo.trees()[:12]
    prepared = model.prepare(trees)
    made = graph(model, prepared, memory, _options())
    decoding = model.with_consensus(made, dict.fromkeys(FEATURES, 0.5))
    found = decoding.n_best(trees, 5, threads=1)
    changed = 0
    for sentence, own, best in zip(prepared, model.n_best(trees, 220, distinct=True, threads=1), found, strict=True):
        values = made.scores(sentence, 0, len(sentence.words), [list(one.tokens) for one in own])
        assert values is not None
        scores = [one.score + 0.5 * row.sum() for one, row in zip(own, values, strict=True)]
        wanted = sorted(range(len(own)), key=lambda place: -scores[place])[:5]
        assert [one.score for one in best] == pytest.approx([scores[place] for place in wanted], abs=1e-3)
        assert best[0].tokens == own[wanted[0]].tokens or scores[wanted[0]] - scores[wanted[1]] < 1e-3
        changed += best[0].tokens != own[0].tokens
    assert changed > 0


@pytest.mark.parametrize("system", ["btg", "hpb", "dgst", "dep2str"])
def test_charts_of_the_first_pass_change_nothing(demo: Trained, memory: _core.TranslationMemory, system: str) -> None:
    model, trees = demo.load(system, pop_limit=60), demo.trees()[:8]
    made = graph(model, model.prepare(trees), memory, _options())
    weights = dict.fromkeys(FEATURES, 0.5)
    # A copy with a pop limit of its own fills its charts itself.
    kept, filled = (one.with_consensus(made, weights) for one in (model, model.with_pop_limit(60)))
    for changed in ({}, {"gc1": 2.0}, {"lm": 0.9}):
        one, other = (decoding.reweighted(changed).n_best(trees, 30, threads=1) for decoding in (kept, filled))
        assert one == other
    fewer = model.with_pop_limit(3).with_consensus(made, weights)
    assert fewer.n_best(trees, 30, threads=1) != kept.n_best(trees, 30, threads=1)


def test_sentences_outside_the_graph_are_translated_by_the_model(
    demo: Trained, memory: _core.TranslationMemory
) -> None:
    model, trees = demo.load("btg", pop_limit=60), demo.trees()[:12]
    made = graph(model, model.prepare(trees[:1]), memory, _options())
    decoding = model.with_consensus(made, dict.fromkeys(FEATURES, 0.5))
    new = [tree for tree in trees if tree.tokens != trees[0].tokens]
    wanted, found = model.translate(new, threads=1), decoding.translate(new, threads=1)
    assert [one.tokens for one in found] == [one.tokens for one in wanted]


@pytest.mark.parametrize("rounds", [1, 2, 5])
@pytest.mark.parametrize("shorter", [0, 1, 2, 1000])
def test_shorter_spans_do_not_reach_the_sentence(
    demo: Trained, memory: _core.TranslationMemory, shorter: int, rounds: int
) -> None:
    """The graph of a search in the forest has fewer spans; the features of whole translations are the same."""
    model = demo.load("btg")
    fewer = 0
    # Sentences of the memory: without any neighbour in it, a smaller graph may be damped where a larger one is not.
    for tree, _ in islice(_pairs(demo), 6):
        (prepared,) = model.prepare([tree])
        texts = [list(one.tokens) for one in model.n_best([tree], 30, distinct=True, threads=1)[0]]
        options = _options(shorter=shorter, rounds=rounds, tolerance=0.0)
        few, all_spans = (graph(model, [prepared], memory, options.replace(search=s)) for s in ("forest", "cells"))
        wanted = all_spans.scores(prepared, 0, len(prepared.words), texts)
        assert few.scores(prepared, 0, len(prepared.words), texts) == pytest.approx(wanted, abs=1e-5)
        fewer += len(few) < len(all_spans)
    assert fewer > 0 or shorter * (rounds + 1) > 6


def test_scores_are_the_weighted_sums_of_values(demo: Trained, memory: _core.TranslationMemory) -> None:
    model, trees = demo.load("hpb", pop_limit=60), demo.trees()[:12]
    made = graph(model, model.prepare(trees), memory, _options())
    weights = {name: 0.05 * (k + 1) for k, name in enumerate(FEATURES)}
    decoding = model.with_consensus(made, weights)
    changed = 0
    for sentence, prepared, best in zip(
        trees, model.prepare(trees), decoding.n_best(trees, 4, distinct=True, threads=1), strict=True
    ):
        values = made.scores(prepared, 0, len(sentence.tokens), [list(one.tokens) for one in best])
        assert values is not None
        assert [one.score for one in best] == sorted((one.score for one in best), reverse=True)
        for one, row in zip(best, values.tolist(), strict=True):
            assert [one.features[name] for name in FEATURES] == pytest.approx(row)
            total = sum(weight * one.features[name] for name, weight in decoding.weights.items())
            assert one.score == pytest.approx(total, abs=1e-3)
        changed += best[0].tokens != model.translate(sentence, threads=1).tokens
    assert changed > 0


@pytest.mark.parametrize("normalise", ["plain", "neighbour", "receiver"])
def test_the_features_are_formulas_9_and_11(demo: Trained, memory: _core.TranslationMemory, normalise: str) -> None:
    """Without edges between spans, what the memory says can be written out."""
    model, trees = demo.load("btg"), demo.trees()[:6]
    options = _options(search="cells", shorter=0, normalise=normalise, labels=4, neighbours=3)
    heard = 0
    for tree, prepared in zip(trees, model.prepare(trees), strict=True):
        words = prepared.words
        made = graph(model, [prepared], memory, options)
        for span in model.spans([tree], most=4, threads=1)[0]:
            source = " ".join(words[span.first : span.end])
            if (span.first, span.end) == (0, len(words)):
                continue
            labels = [" ".join(text) for text, _ in span.translations]
            raised = [math.exp(options.scale * (score - span.translations[0][1])) for _, score in span.translations]
            posterior = [one / sum(raised) for one in raised]
            new = f"{labels[0]} {labels[-1]} strange"
            near = memory.neighbours([source], 0.3)[0]
            near.sort(key=lambda one: -one.similarity)
            around = [(one.similarity, _probabilities(one)) for one in near[:3]]
            total = sum(weight for weight, _ in around)
            rows = made.scores(prepared, span.first, span.end, [text.split() for text in (*labels, new)])
            assert rows is not None
            for text, row in zip((*labels, new), rows.tolist(), strict=True):
                for n in range(1, 5):
                    said = sum(
                        weight
                        / total
                        * sum(_transfer(text, e, labels, list(own), n, normalise) * p for e, p in own.items())
                        for weight, own in around
                    )
                    local = sum(
                        _transfer(text, e, labels, labels, n, normalise) * p
                        for e, p in zip(labels, posterior, strict=True)
                    )
                    assert row[n - 1] == pytest.approx(math.log(max(said, FLOOR)), abs=1e-3)
                    assert row[4 + n] == pytest.approx(math.log(max(local, FLOOR)), abs=1e-3)
                    heard += said > FLOOR
    assert heard > 50


def _transfer(text: str, other: str, receivers: list[str], others: list[str], n: int, normalise: str) -> float:
    similar = dice(text, other, n)
    if normalise == "plain" or not similar:
        return similar
    if normalise == "neighbour":
        return similar / sum(dice(text, one, n) for one in others)
    return similar / max(similar, sum(dice(one, other, n) for one in receivers))


def test_spans_hear_from_their_parts(demo: Trained) -> None:
    """Without a memory, with all sub-spans joined: one round of formula (7), then formula (9), written out."""
    model = demo.load("btg")
    trees = demo.trees()
    every = [one.words for one in model.prepare(trees)]
    tree = next(tree for tree, own in zip(trees, every, strict=True) if 4 <= len(own) == len(set(own)))
    (prepared,) = model.prepare([tree])
    words = prepared.words
    options = _options(shorter=1000, normalise="plain", labels=3, whole=3, rounds=1)
    made = _core.SpanConsensus(model.decoder, [prepared], None, options)
    whole = (0, len(words))
    scored = {(one.first, one.end): list(one.translations) for one in model.spans([tree], most=3, threads=1)[0]}
    scale = _options().scale
    scored[whole] = [(one.tokens, one.score) for one in model.n_best([tree], 3, distinct=True, threads=1)[0]]
    assert len(made) == len(scored)
    labels = {span: [" ".join(text) for text, _ in found] for span, found in scored.items()}
    raised = {span: [math.exp(scale * (score - found[0][1])) for _, score in found] for span, found in scored.items()}
    p0 = {span: [one / sum(own) for one in own] for span, own in raised.items()}

    def heard(span: tuple[int, int], text: str, n: int, p: dict[tuple[int, int], list[float]]) -> float:
        """The sum in formula (9), over spans that hold this one or are held by it."""
        around = {
            other: similarity(" ".join(words[slice(*span)]), " ".join(words[slice(*other)]))
            for other in scored
            if other != span and (_holds(span, other) or _holds(other, span))
        }
        total = sum(around.values())
        said = {o: sum(dice(text, e, n) * q for e, q in zip(labels[o], p[o], strict=True)) for o in around}
        return sum(weight / total * said[other] for other, weight in around.items())

    for n in range(1, 5):
        p1 = {span: [heard(span, text, n, p0) for text in own] for span, own in labels.items()}
        for span in scored:
            rows = made.scores(prepared, *span, [text.split() for text in labels[span]])
            assert rows is not None
            for text, row in zip(labels[span], rows.tolist(), strict=True):
                assert row[n - 1] == pytest.approx(math.log(max(heard(span, text, n, p1), FLOOR)), abs=1e-3)
    between = sum(1 for a in scored for b in scored if a != b and (_holds(a, b) or _holds(b, a)))
    assert (made.edges.to_memory, made.edges.between) == (0, between)


def _holds(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span[0] <= other[0] and other[1] <= span[1]


def test_without_any_edge_nobody_speaks(demo: Trained, memory: _core.TranslationMemory) -> None:
    model, tree = demo.load("btg"), demo.trees()[0]
    (prepared,) = model.prepare([tree])
    made = graph(model, [prepared], memory, _options(search="cells", neighbours=0, shorter=0))
    assert (made.edges.to_memory, made.edges.between) == (0, 0)
    row = made.scores(prepared, 0, 2, [["we", "are"]])
    assert row is not None
    assert row[0, :5].tolist() == pytest.approx([*[math.log(FLOOR)] * 4, 1.0])


def _probabilities(entry: _core.MemoryEntry | _core.MemoryNeighbour) -> dict[str, float]:
    return {one.text: one.probability for one in entry.translations}


def test_forced_decoding_gives_spans_of_the_derivation(demo: Trained) -> None:
    """Every span of a pair that can be made has a part of its target; the pair itself is a node."""
    model = demo.load("btg")
    (tree, target), *_ = list(_pairs(demo))
    memory, reached = make_span_memory(model, [(tree, target)], threads=1)
    assert reached == 1
    words = model.target_steps.apply(target)
    entries = {entry.source: _probabilities(entry) for entry in memory.entries(0, len(memory))}
    whole = " ".join(model.prepare([tree])[0].words)
    assert entries[whole] == {words: 1.0}
    assert len(entries) > len(tree.tokens) / 2
    for source, labels in entries.items():
        assert f" {source} " in f" {whole} "
        assert all(f" {label} " in f" {words} " for label in labels)


def test_a_pair_that_cannot_be_made_gives_what_is_a_part_of_it(demo: Trained) -> None:
    model = demo.load("btg")
    (tree, target), *_ = list(_pairs(demo))
    words = model.target_steps.apply(target).split()
    spoilt = " ".join([*words[:2], "unheard-of", *words[2:]])
    memory, reached = make_span_memory(model, [(tree, spoilt)], threads=1)
    assert reached == 0
    parts = {one.text for entry in memory.entries(0, len(memory)) for one in entry.translations}
    assert " ".join(words[2:4]) in " ".join(parts)
    assert all(f" {part} " in f" {spoilt} " for part in parts)


def test_learning_saving_and_loading(demo: Trained, memory: _core.TranslationMemory, tmp_path: Path) -> None:
    model = demo.load("btg", pop_limit=15)
    pairs = list(islice(_pairs(demo), 200, 212))
    sentences, references = [tree for tree, _ in pairs], [[target] for _, target in pairs]
    made = learn_decoding(model, memory, sentences, references, _options(alternations=2))
    assert len(made.stages) == len(made.bleu) + 1
    assert set(made.stages[1]) == {*model.weights, *FEATURES}
    made.save(tmp_path / "learnt")
    opened = ConsensusDecoder.load(model, tmp_path / "learnt", threads=2)
    assert opened.stages == made.stages
    assert opened.options == made.options.replace(threads=2)
    trees = demo.trees()[:10]
    assert [one.tokens for one in opened.translate(trees)] == [one.tokens for one in made.translate(trees)]
    # The same model with a part of its rules may have it, one that was trained with these rules may not.
    part = shutil.copytree(demo.models["btg"], tmp_path / "part")
    filtered(demo.models["btg"] / "rules.bin", demo.texts()[:10], part / "rules.bin")
    ConsensusDecoder.load(Model(part), tmp_path / "learnt")
    dataclasses.replace(Manifest.load(part), replaced={}).save(part)
    with pytest.raises(InputError, match=r"consensus\.json: this consensus was made with another model"):
        ConsensusDecoder.load(Model(part), tmp_path / "learnt")


def test_features_that_are_left_out_have_no_weight(demo: Trained, memory: _core.TranslationMemory) -> None:
    pairs = list(islice(_pairs(demo), 200, 208))
    sentences, references = [tree for tree, _ in pairs], [[target] for _, target in pairs]
    made = learn_decoding(demo.load("btg", pop_limit=15), memory, sentences, references, _options(features="gc"))
    assert not any(name.startswith("lc") for name in made.stages[1])
    assert any(made.stages[1][name] != 0.0 for name in FEATURES if name.startswith("gc"))


@pytest.mark.parametrize("search", ["forest", "cells"])
@pytest.mark.parametrize("system", ["btg", "hpb", "dgst", "dep2str"])
def test_consensus_pushes_no_hypothesis_out(
    demo: Trained, memory: _core.TranslationMemory, system: str, search: str
) -> None:
    """What the model alone finds best is among what is found with consensus."""
    model, trees = demo.load(system, pop_limit=60), demo.trees()[:8]
    made = graph(model, model.prepare(trees), memory, _options(search=search))
    decoding = model.with_consensus(made, dict.fromkeys(FEATURES, 1.0))
    found = decoding.n_best(trees, 500, distinct=True, threads=1)
    for best, own in zip(model.translate(trees, threads=1), found, strict=True):
        scores = [sum(w * one.features[name] for name, w in model.weights.items()) for one in own]
        assert max(scores) >= best.score - 1e-3


def test_own_weights_stay_unless_all_are_tuned(demo: Trained, memory: _core.TranslationMemory) -> None:
    model, pairs = demo.load("btg", pop_limit=30), list(islice(_pairs(demo), 200, 216))
    trees, references = [tree for tree, _ in pairs], [[target] for _, target in pairs]
    made = learn_decoding(model, memory, trees, references, _options())
    assert {name: made.stages[1][name] for name in model.weights} == model.weights
    assert any(made.stages[1][name] != START for name in FEATURES)
    free = learn_decoding(model, memory, trees, references, _options(tune_all=True))
    assert {name: free.stages[1][name] for name in model.weights} != model.weights


def test_the_tuner_sees_the_models_score_as_one_feature(demo: Trained, memory: _core.TranslationMemory) -> None:
    model, trees = demo.load("btg"), demo.trees()[:5]
    made = graph(model, model.prepare(trees), memory, _options())
    decoding = model.with_consensus(made, dict.fromkeys(FEATURES, 0.5))
    tied = TiedModel(TunedModel(decoding, trees, TuneOptions(threads=1)), FEATURES)
    assert list(tied.features) == ["score", *FEATURES]
    asked = {"score": 2.0, **dict.fromkeys(FEATURES, 1.0)}
    assert tied.weights(asked) == {**model.weights, **dict.fromkeys(FEATURES, 0.5)}
    found = tied.decode(asked)
    best = decoding.translate(trees, threads=1)
    for one, row in zip(best, found.hypotheses[:-1].tolist(), strict=True):
        own = sum(weight * one.features[name] for name, weight in model.weights.items())
        wanted = [own, *(one.features[name] for name in FEATURES)]
        assert found.values[row].tolist() == pytest.approx(wanted, abs=1e-3)
    # A score that should count for less than nothing breaks ties.
    assert tied.weights({**asked, "score": -1.0})["gc1"] == pytest.approx(1.0 / (1e-3 * len(FEATURES)))


def test_a_memory_comes_back_as_it_was(memory: _core.TranslationMemory, tmp_path: Path) -> None:
    save_span_memory(memory, tmp_path / "spans.tsv.gz")
    again = load_span_memory(tmp_path / "spans.tsv.gz")
    assert len(again) == len(memory)
    for entry, other in zip(memory.entries(0, len(memory)), again.entries(0, len(memory)), strict=True):
        assert entry.source == other.source
        assert _probabilities(entry) == pytest.approx(_probabilities(other), abs=1e-5)


def test_bad_input_is_told(demo: Trained, memory: _core.TranslationMemory, tmp_path: Path) -> None:
    (tmp_path / "spans.tsv").write_text("a\tb\t1\nc\td\n")
    with pytest.raises(InputError, match=r"spans\.tsv:2: expected source, target and probability"):
        load_span_memory(tmp_path / "spans.tsv")
    with pytest.raises(InputError, match="Create it with graphmt consensus"):
        ConsensusDecoder.load(demo.load("btg"), tmp_path)
    (tmp_path / "file").touch()
    made = ConsensusDecoder(demo.load("btg"), memory, _options(), ())
    for place in ("file", "file/below", "."):
        with pytest.raises(InputError, match=r"has no consensus\.json|is not a folder"):
            made.save(tmp_path / place)
    with pytest.raises(InputError, match="no chart"):
        _left_to_right(demo.load("pbmt"), memory)


def _left_to_right(model: Model, memory: _core.TranslationMemory) -> None:
    graph(model, model.prepare(["ein mann"]), memory, _options())


@pytest.mark.parametrize("search", ["forest", "cells"])
def test_a_decoder_translates_with_the_best_text_of_its_lists(
    demo: Trained, memory: _core.TranslationMemory, search: str
) -> None:
    """Both ``translate --consensus`` and the experiments translate with it."""
    model, trees = demo.load("btg", pop_limit=60, stack_size=40), demo.trees()[:8]
    weights = {**model.weights, **dict.fromkeys(FEATURES, 2.0)}
    decoder = ConsensusDecoder(model, memory, _options(search=search), (model.weights, weights))
    lists = list(decoder.n_best(trees, 100))
    assert all(len({one.tokens for one in best}) == len(best) for best in lists)
    assert decoder.translate(trees) == [best[0] for best in lists]


@pytest.mark.parametrize("search", ["forest", "cells"])
def test_one_translation_is_chosen_from_the_texts_of_a_list(
    demo: Trained, memory: _core.TranslationMemory, search: str
) -> None:
    """Tuning looks at lists of 100 texts: the best of these is the translation, and no list has a text twice."""
    model, trees = demo.load("btg", pop_limit=60, stack_size=40), demo.trees()[:8]
    made = graph(model, model.prepare(trees), memory, _options(search=search))
    decoding = model.with_consensus(made, dict.fromkeys(FEATURES, 2.0))
    listed = decoding.n_best(trees, 100, distinct=True, threads=1)
    assert [best[0] for best in listed] == decoding.translate(trees, threads=1)
    short = decoding.n_best(trees, 5, threads=1)
    assert short == [best[:5] for best in listed]
    assert all(len({one.tokens for one in best}) == len(best) for best in short)
