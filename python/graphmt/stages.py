"""The stages with options, by their names in TOML sections, flags and documentation."""

from __future__ import annotations

from graphmt.align.options import AlignOptions
from graphmt.consensus.decode_options import ConsensusOptions
from graphmt.consensus.options import RerankOptions
from graphmt.corpus.cleaning import CleanOptions
from graphmt.corpus.parsers.opening import ParseOptions
from graphmt.corpus.parsers.udpipe_training import ParserOptions
from graphmt.corpus.steps import TextOptions
from graphmt.demo.corpus import DemoOptions
from graphmt.evaluate.options import EvaluateOptions
from graphmt.experiments.options import ExperimentOptions
from graphmt.lm.options import LmOptions
from graphmt.model.options import SearchOptions
from graphmt.options import Options
from graphmt.reorder.options import ReorderOptions
from graphmt.rules.options import ExtractOptions
from graphmt.selection.options import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions
from graphmt.server.options import ServeOptions
from graphmt.training import SidesOptions
from graphmt.tune.options import TuneOptions

STAGES: dict[str, type[Options]] = {
    "clean": CleanOptions,
    "text": TextOptions,
    "parse": ParseOptions,
    "parser": ParserOptions,
    "align": AlignOptions,
    "lm": LmOptions,
    "sides": SidesOptions,
    "extract": ExtractOptions,
    "reorder": ReorderOptions,
    "search": SearchOptions,
    "gm": GmOptions,
    "lrsm": LrsmOptions,
    "dwl": DwlOptions,
    "order": OrderOptions,
    "tsm": TsmOptions,
    "evaluate": EvaluateOptions,
    "experiment": ExperimentOptions,
    "tune": TuneOptions,
    "rerank": RerankOptions,
    "consensus": ConsensusOptions,
    "serve": ServeOptions,
    "demo": DemoOptions,
}
