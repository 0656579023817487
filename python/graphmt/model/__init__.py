"""Trained models, on disk and opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.model.charts import Forced, SpanTranslations
    from graphmt.model.input_terms import FixedSpan
    from graphmt.model.manifest import Manifest
    from graphmt.model.memory import SentenceMemory
    from graphmt.model.model import Model, load
    from graphmt.model.options import SearchOptions
    from graphmt.model.sentence_options import SentenceOption, SentenceOptions, n_best_with_options
    from graphmt.model.translation import Derivation, MemoryMatch, Step, Translation
    from graphmt.model.weights import load_weights, save_weights

__all__ = [
    "Derivation",
    "FixedSpan",
    "Forced",
    "Manifest",
    "MemoryMatch",
    "Model",
    "SearchOptions",
    "SentenceMemory",
    "SentenceOption",
    "SentenceOptions",
    "SpanTranslations",
    "Step",
    "Translation",
    "load",
    "load_weights",
    "n_best_with_options",
    "save_weights",
]

__getattr__ = lazily(
    __name__,
    {
        "charts": "Forced SpanTranslations",
        "input_terms": "FixedSpan",
        "manifest": "Manifest",
        "memory": "SentenceMemory",
        "model": "Model load",
        "options": "SearchOptions",
        "sentence_options": "SentenceOption SentenceOptions n_best_with_options",
        "translation": "Derivation MemoryMatch Step Translation",
        "weights": "load_weights save_weights",
    },
)
