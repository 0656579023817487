"""Options cross into the core whole: which fields of each dataclass the core reads."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphmt import _core
from graphmt.align import AlignOptions
from graphmt.consensus import RerankOptions
from graphmt.consensus.decode_options import ConsensusOptions
from graphmt.corpus import TextSteps
from graphmt.corpus.cleaning import CleanOptions
from graphmt.errors import GraphmtError
from graphmt.lm import LmOptions
from graphmt.maxent import ExampleColumns, FitOptions
from graphmt.model import SearchOptions
from graphmt.reorder import ReorderOptions
from graphmt.rules import ExtractOptions
from graphmt.selection import Corpus, GmOptions, TsmOptions
from graphmt.selection.gm import GmWalk, MoreText
from graphmt.selection.options import DwlOptions, LrsmOptions, OrderOptions
from graphmt.selection.tsm import CorpusTopics
from graphmt.systems.base import Links
from graphmt.tune import NBest, TuneOptions
from small_models import Trained

NONE = Path("there is no such file")
FILES = _core.CorpusFiles(NONE, NONE, NONE, NONE)
CORPUS = Corpus(NONE, NONE, NONE, None, TextSteps(), TextSteps(), NONE, _core.ExtractSettings.strings(ExtractOptions()))
EXAMPLES = ExampleColumns(
    np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.uint32), np.zeros(0, np.float32)
)
FIT = FitOptions(1, 2, 1.0, 1e-5, 1, 1)
TOPICS = CorpusTopics(
    [], np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), np.zeros(0, np.int16), np.zeros(0, np.int16)
)
TEXT, KEPT = _core.EncodedText(), np.zeros(0, np.bool_)
NBEST = NBest(np.zeros(2, np.uint32), np.zeros(1, np.uint32), np.zeros(0, np.uint32), [], np.zeros((0, 1), np.float32))


def lists() -> _core.NBestLists:
    return _core.NBestLists([[["a"]]], 1)


def call_gm(given: Any, more: Any) -> object:
    return _core.train_gm(FILES, more, NONE, given, folder=NONE, lemmatise=lambda side, words: words)


class Recorder:
    """An object of options that notes which of its fields are read."""

    def __init__(self, options: object) -> None:
        self._options, self.read = options, set[str]()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(self._options, name)


#: What is handed to the core, a call that takes it, and the fields that Python alone reads.
CALLS: list[tuple[Any, Callable[[Any], object], set[str]]] = [
    (
        AlignOptions(),
        lambda given: _core.gibbs_align(TEXT, TEXT, KEPT, given),
        {"model", "symmetrise", "lowercase", "prefix", "max_length", "sample", "hmm_null", "fast_align_iterations"}
        | {f"{model}_iterations" for model in ("ibm1", "ibm2", "hmm", "ibm3", "ibm4")},
    ),
    (CleanOptions(), _core.PairFilter, set()),
    (ExtractOptions(), _core.ExtractSettings.strings, set()),
    (Links(), lambda given: _core.ExtractSettings.subgraphs(ExtractOptions(), given, context=False), set()),
    (
        SearchOptions(),
        lambda given: _core.Decoder.chart(NONE, NONE, [], given),
        # Those of gm reach the core as a GmWalk; which features there are is decided in Python.
        {"gm_relatedness", "gm_reallocation", "gm_prior", "gm_keep", "document_length", "count_general"},
    ),
    (LmOptions(), lambda given: _core.lm_train([NONE], NONE, given, arpa=False, temporary=NONE), {"temporary"}),
    (ReorderOptions(), lambda given: _core.list_reordering(FILES, given), set()),
    (GmOptions(), lambda given: call_gm(given, MoreText()), {"lemmas", "dimensions", "more_source", "more_target"}),
    (MoreText(), lambda given: call_gm(GmOptions(), given), set()),
    (GmWalk(), lambda given: _core.translation_graph([], [], [], given), set()),
    (LrsmOptions(), lambda given: _core.train_lrsm(CORPUS, NONE, given, folder=NONE), set()),
    (DwlOptions(), lambda given: _core.train_dwl(CORPUS, NONE, given, folder=NONE), set()),
    (OrderOptions(), lambda given: _core.train_order(CORPUS, NONE, given, folder=NONE), set()),
    (
        TsmOptions(),
        lambda given: _core.train_tsm(CORPUS, NONE, given, TOPICS, folder=NONE),
        {"document_length", "iterations", "most_frequent", "seed"},
    ),
    (TOPICS, lambda given: _core.train_tsm(CORPUS, NONE, TsmOptions(), given, folder=NONE), set()),
    (EXAMPLES, lambda given: _core.fit_maxent(given, FIT), set()),
    (FIT, lambda given: _core.fit_maxent(EXAMPLES, given), set()),
    (NBEST, lambda given: lists().add(given), set()),
    (
        TuneOptions(),
        lambda given: lists().pairs([True], given, seed=1),
        {
            "tuner",
            "metric",
            "n_best",
            "distinct",
            "iterations",
            "patience",
            "least_new",
            "pop_share",
            "lowercase",
            "seed",
        }
        | {"restarts", "random_directions", "narrowest", "penalty", "interpolation"},
    ),
    (
        RerankOptions(),
        lambda given: _core.CandidateLists([["x"]]).local_consensus(np.ones(1), ["dice1"], given),
        {"method", "features", "score", "scale", "floor", "tokenise", "source_language", "target_language", "tuner"}
        | {"alternations", "seed", "chunk", "classifier", "abstain", "anchor", "normalised"},
    ),
]


def read_by_the_core(options: Any, call: Callable[[Any], object]) -> set[str]:
    recorder = Recorder(options)
    with contextlib.suppress(GraphmtError):
        call(recorder)
    return recorder.read


def fields(options: Any) -> set[str]:
    return {field.name for field in dataclasses.fields(options)}


@pytest.mark.parametrize(("options", "call", "python"), [pytest.param(*one, id=type(one[0]).__name__) for one in CALLS])
def test_the_core_reads_every_field_but_those_of_python(
    options: Any, call: Callable[[Any], object], python: set[str]
) -> None:
    """A field that is new must be read by the core's struct, or be listed here as one that only Python reads."""
    assert read_by_the_core(options, call) == fields(options) - python


def test_consensus_options(demo: Trained) -> None:
    decoder = demo.load("btg").decoder
    read = read_by_the_core(ConsensusOptions(), lambda given: _core.SpanConsensus(decoder, [], None, given))
    python = {"tuner", "tune_all", "alternations", "seed", "chunk"}
    assert read == fields(ConsensusOptions()) - python


def test_a_field_that_is_missing_is_named() -> None:
    with pytest.raises((AttributeError, TypeError), match="bigram"):
        _core.ExtractSettings.subgraphs(ExtractOptions(), object(), context=False)  # type: ignore[arg-type]
