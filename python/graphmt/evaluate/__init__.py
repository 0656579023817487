"""Evaluation: metrics with signatures, significance, comparisons, reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.evaluate.comparison import Comparison, MetricScores, SystemScore, compare
    from graphmt.evaluate.metrics import corpus_score, make_metrics
    from graphmt.evaluate.options import EvaluateOptions
    from graphmt.evaluate.outputs import Compared, Output, read_compared, read_output, read_text

__all__ = [
    "Compared",
    "Comparison",
    "EvaluateOptions",
    "MetricScores",
    "Output",
    "SystemScore",
    "compare",
    "corpus_score",
    "make_metrics",
    "read_compared",
    "read_output",
    "read_text",
]

__getattr__ = lazily(
    __name__,
    {
        "comparison": "Comparison MetricScores SystemScore compare",
        "metrics": "corpus_score make_metrics",
        "options": "EvaluateOptions",
        "outputs": "Compared Output read_compared read_output read_text",
    },
)
