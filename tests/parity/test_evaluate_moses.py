"""Scores of Moses' outputs, as their own records give them."""

from __future__ import annotations

import pytest
from graphmt.evaluate import EvaluateOptions, corpus_score, make_metrics, read_output, read_text


@pytest.mark.parametrize(("output", "bleu"), [("pb-lr.test.out.gz", 40.33), ("hiero.test.out.gz", 40.71)])
def test_bleu_of_recorded_outputs(reference, output, bleu) -> None:
    texts = [list(read_text(reference / "data" / "multi30k-de-en" / "test.en.gz"))]
    (metric,) = make_metrics(EvaluateOptions(metrics=("bleu",), tokenise="none"), texts)
    made = read_output(reference / "peers" / "moses-multi30k-de-en" / output)
    assert corpus_score(metric, made.lines) == pytest.approx(bleu, abs=0.005)
