"""Groups of features in decoding: GC by kind of neighbour, and memory n-gram posteriors."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from graphmt import _core
from graphmt.consensus import ConsensusDecoder, ConsensusOptions, learn_decoding, make_span_memory
from graphmt.consensus.cell_evidence import model_pairs
from graphmt.consensus.decode_options import DECODE_FEATURES
from graphmt.consensus.decoding import graph
from graphmt.corpus import read_trees
from graphmt.errors import InputError, OptionError
from graphmt.evidence import EvidenceOptions, make_index
from plain_formulas import ngrams
from small_models import Trained

ALL = "gc,gc-memory,gc-spans,lc,memory"
LR = EvidenceOptions(classifier="lr", threads=1)


@pytest.fixture(scope="module")
def pairs(demo: Trained) -> list:
    targets = demo.target.read_text("utf-8").splitlines()
    return list(islice(zip(read_trees(demo.source), targets, strict=True), 230))


@pytest.fixture(scope="module")
def memory(demo: Trained, pairs: list) -> _core.TranslationMemory:
    return make_span_memory(demo.load("btg"), pairs[:60], threads=1)[0]


def options(features: str, **changed: object) -> ConsensusOptions:
    return ConsensusOptions(features=features, threads=1, **changed)


def test_groups_are_named_in_any_order_and_unknown_ones_refused() -> None:
    made = ConsensusOptions(features="lc, gc-spans gc-memory")
    assert made.features == "gc-memory+gc-spans+lc"
    assert made.names == (*DECODE_FEATURES["gc-memory"], *DECODE_FEATURES["gc-spans"], *DECODE_FEATURES["lc"])
    with pytest.raises(OptionError, match=r"'gc-memroy' \(did you mean 'gc-memory'"):
        ConsensusOptions(features="gc-memroy")
    with pytest.raises(OptionError, match="cannot be empty"):
        ConsensusOptions(features=",")


def _rows(demo: Trained, memory: _core.TranslationMemory | None, asked: ConsensusOptions) -> np.ndarray:
    """The features of the translations of all spans of some sentences."""
    model, trees = demo.load("btg"), demo.trees()[:4]
    prepared = model.prepare(trees)
    made = _core.SpanConsensus(model.decoder, prepared, memory, asked)
    found = []
    for one, spans in zip(prepared, model.spans(trees, most=4, threads=1), strict=True):
        for span in spans:
            texts = [[*text] for text, _ in span.translations]
            rows = made.scores(one, span.first, span.end, texts)
            assert rows is not None
            found.append(rows)
    return np.concatenate(found)


@pytest.mark.parametrize("normalise", ["receiver", "neighbour", "plain"])
def test_gc_is_split_by_kind_of_neighbour(demo: Trained, memory: _core.TranslationMemory, normalise: str) -> None:
    asked = options("gc,gc-memory,gc-spans,lc", search="cells", normalise=normalise, shorter=2)
    both, unsplit = _rows(demo, memory, asked), _rows(demo, memory, asked.replace(features="gc+lc"))
    # GC and LC do not depend on the other groups, except for rounding.
    assert both[:, [0, 1, 2, 3, 4, 15, 16, 17, 18]] == pytest.approx(unsplit, abs=1e-4)
    gc, gcm, gcs = (np.exp(both[:, start : start + 4]) for start in (0, 5, 10))
    # The shares of both kinds sum to 1, so GC lies between them.
    assert (gc <= np.maximum(gcm, gcs) * (1 + 1e-4)).all()
    assert (gc >= np.minimum(gcm, gcs) * (1 - 1e-4)).all()
    assert (np.abs(gcm - gcs) > 1e-3).mean() > 0.2
    only_memory = _rows(demo, memory, asked.replace(shorter=0))
    assert only_memory[:, 5:10] == pytest.approx(only_memory[:, :5], abs=1e-4)
    assert (only_memory[:, 10:15] == np.float32([*[math.log(1e-4)] * 4, 1.0])).all()
    only_spans = _rows(demo, None, asked)
    assert only_spans[:, 10:15] == pytest.approx(only_spans[:, :5], abs=1e-4)
    assert (only_spans[:, 5:10] == np.float32([*[math.log(1e-4)] * 4, 1.0])).all()


def test_memory_features_are_sums_over_the_ngrams_of_a_text(
    demo: Trained, memory: _core.TranslationMemory, pairs: list
) -> None:
    model, trees = demo.load("btg"), [tree for tree, _ in pairs[200:212]]
    prepared = model.prepare(trees)
    made = graph(model, prepared, memory, options("lc,memory"))
    references = [[model.target_steps.apply(target)] for _, target in pairs[200:212]]
    index = make_index(model_pairs(model, pairs[:60]), LR)
    rows = index.rows(made.evidence_inputs(references, lowercase=True), LR, threads=1)
    probabilities = _core.NgramPredictor.fit(rows, LR, threads=1).probabilities(rows, threads=1)
    scored = made.with_evidence(rows, probabilities)
    for number, (one, spans) in enumerate(zip(prepared, model.spans(trees, most=3, threads=1), strict=True)):
        p = {}
        for order in range(1, 5):
            own = slice(*rows.starts(order)[number : number + 2])
            p |= dict(zip(rows.ngrams(order)[own], probabilities.of_order(order)[own].tolist(), strict=True))
        for span in spans[:: max(1, len(spans) // 8)]:
            texts = [[*text] for text, _ in span.translations]
            texts.append([*texts[0], "unheard-of", *texts[0], *texts[-1]])
            found = scored.scores(one, span.first, span.end, texts)
            assert found is not None
            assert (made.scores(one, span.first, span.end, texts)[:, 4:] == 0).all()
            for text, row in zip(texts, found.tolist(), strict=True):
                lower = [word.lower() for word in text]
                sums = [sum(p.get(" ".join(g), 0.0) for g in set(ngrams(lower, n))) for n in range(1, 5)]
                assert row[4:] == pytest.approx(sums, abs=1e-4)
            assert sum(found[0, 4:]) > 0
    with pytest.raises(InputError, match="other sentences"):
        graph(model, prepared[:3], memory, options("memory")).with_evidence(rows, probabilities)
    with pytest.raises(InputError, match="references for 1 sentences"):
        made.evidence_inputs([["a"]])


def test_all_groups_are_learnt_saved_and_opened(
    demo: Trained, memory: _core.TranslationMemory, pairs: list, tmp_path: Path
) -> None:
    model, dev = demo.load("btg"), pairs[200:215]
    trees, references = [tree for tree, _ in dev], [[target] for _, target in dev]
    asked = options(ALL)
    with pytest.raises(OptionError, match="need the training corpus"):
        learn_decoding(model, memory, trees, references, asked)
    made = learn_decoding(model, memory, trees, references, asked, pairs=pairs[:60])
    assert set(made.stages[1]) == {*model.weights, *asked.names} and made.evidence is not None
    made.save(tmp_path / "learnt")
    opened = ConsensusDecoder.load(model, tmp_path / "learnt", threads=1)
    new = demo.trees()[:6]
    assert [one.tokens for one in opened.translate(new)] == [one.tokens for one in made.translate(new)]
    assert opened.translate(new)[0].features["memory1"] > 0
    with (tmp_path / "learnt" / "predictor.bin").open("ab") as stream:
        stream.write(b"more")
    with pytest.raises(InputError, match=r"predictor\.bin: it differs from the file"):
        ConsensusDecoder.load(model, tmp_path / "learnt")


def test_folders_with_zero_weights_for_other_groups_are_read(
    demo: Trained, memory: _core.TranslationMemory, tmp_path: Path
) -> None:
    """As they were written before features could be chosen by group."""
    model = demo.load("btg")
    gc = {**model.weights, **dict.fromkeys(DECODE_FEATURES["gc"], 0.1)}
    lc = dict.fromkeys(DECODE_FEATURES["lc"], 0.0)
    ConsensusDecoder(model, memory, options("gc"), (model.weights, {**gc, **lc}), (1.0,)).save(tmp_path / "old")
    assert ConsensusDecoder.load(model, tmp_path / "old").stages == (model.weights, gc)
    wrong = {**gc, **lc, "lc1": 0.5}
    ConsensusDecoder(model, memory, options("gc"), (model.weights, wrong), (1.0,)).save(tmp_path / "wrong")
    with pytest.raises(InputError, match="not the consensus of this model"):
        ConsensusDecoder.load(model, tmp_path / "wrong")
