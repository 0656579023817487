"""Training and translation on Apache Spark, for corpora that one machine cannot process.

Needs the extra ``graphmt[spark]`` and Java 17 or newer.
"""

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
