"""Tuning: finding the weights that translate a development set best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.nbest.columns import NBest
    from graphmt.tune.bleu import corpus_bleu, corpus_ter
    from graphmt.tune.loop import Iteration, TuneResult, optimise
    from graphmt.tune.options import TuneOptions
    from graphmt.tune.step import TunedModel, tune_model
    from graphmt.tune.tunable import Tunable

__all__ = [
    "Iteration",
    "NBest",
    "Tunable",
    "TuneOptions",
    "TuneResult",
    "TunedModel",
    "corpus_bleu",
    "corpus_ter",
    "optimise",
    "tune_model",
]

__getattr__ = lazily(
    __name__,
    {
        "graphmt.nbest.columns": "NBest",
        "bleu": "corpus_bleu corpus_ter",
        "loop": "Iteration TuneResult optimise",
        "options": "TuneOptions",
        "step": "TunedModel tune_model",
        "tunable": "Tunable",
    },
)
