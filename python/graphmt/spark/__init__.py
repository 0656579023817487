"""Training and translation on Apache Spark, for corpora that one machine cannot process.

Needs the extra ``graphmt[spark]`` and Java 17 or newer.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphmt.spark.alignment import align
    from graphmt.spark.cleaning import clean, report
    from graphmt.spark.counting import statistics
    from graphmt.spark.engine import SparkEngine
    from graphmt.spark.experiments import spread_over
    from graphmt.spark.lm import estimate
    from graphmt.spark.memory import neighbours
    from graphmt.spark.reading import read_table
    from graphmt.spark.reranking import LISTS, rerank
    from graphmt.spark.rules import extract_rules
    from graphmt.spark.session import open_session
    from graphmt.spark.text import parse, tokenise
    from graphmt.spark.translation import translate

__all__ = [
    "LISTS",
    "SparkEngine",
    "align",
    "clean",
    "estimate",
    "extract_rules",
    "neighbours",
    "open_session",
    "parse",
    "read_table",
    "report",
    "rerank",
    "spread_over",
    "statistics",
    "tokenise",
    "translate",
]

#: Where each name is. Imported when they are used: worker processes start anew on every executor, and need one module.
_PLACES = {
    "LISTS": "reranking",
    "SparkEngine": "engine",
    "align": "alignment",
    "clean": "cleaning",
    "estimate": "lm",
    "extract_rules": "rules",
    "neighbours": "memory",
    "open_session": "session",
    "parse": "text",
    "read_table": "reading",
    "report": "cleaning",
    "rerank": "reranking",
    "spread_over": "experiments",
    "statistics": "counting",
    "tokenise": "text",
    "translate": "translation",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
