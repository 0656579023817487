"""TER by the core is sacreBLEU's, sentence by sentence."""

from __future__ import annotations

from graphmt.evaluate import EvaluateOptions
from graphmt.evaluate.metrics import SacreMetric, make_metrics
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import TER

line = st.lists(st.sampled_from(["a", "b", "C", "c", "der", ".", "ä"]), max_size=9).map(" ".join)


@given(
    st.integers(1, 3).flatmap(
        lambda n: st.lists(st.lists(line, min_size=n + 1, max_size=n + 1), min_size=1, max_size=5)
    ),
    st.booleans(),
)
def test_rows_and_scores_are_sacrebleus(rows: list[list[str]], lower: bool) -> None:
    hypotheses, *references = (list(column) for column in zip(*rows, strict=True))
    (ours,) = make_metrics(EvaluateOptions(metrics=("ter",), lowercase=lower), references)
    theirs = SacreMetric("TER", TER(case_sensitive=not lower, references=references))
    assert ours.rows(hypotheses).tolist() == theirs.rows(hypotheses).tolist()
    assert ours.signature == theirs.signature
    total = ours.rows(hypotheses).sum(0)
    assert ours.score(total) == theirs.score(theirs.rows(hypotheses).sum(0))
