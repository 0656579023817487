"""Metrics against sacreBLEU's own interface."""

from __future__ import annotations

import pytest
import sacrebleu
from graphmt.errors import InputError, OptionError
from graphmt.evaluate import EvaluateOptions, corpus_score, make_metrics
from graphmt.evaluate.metrics import check_lengths, sentence_scores

HYPOTHESES = ["The cat sat on the mat .", "a dog, barks loudly", "Nothing here", 'he said : "no" to it all today']
REFERENCES = [
    ["the cat is on the mat .", "A dog barks , loudly", "nothing at all", 'he said "no" to all of it today'],
    ["The cat sat on a mat .", "the dog barked loudly", "Nothing here", "today he said no"],
]


@pytest.mark.parametrize("references", [REFERENCES[:1], REFERENCES])
@pytest.mark.parametrize("tokenise", ["13a", "none", "intl", "char"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_scores_and_signatures_are_sacrebleus(references, tokenise, lowercase) -> None:
    options = EvaluateOptions(tokenise=tokenise, lowercase=lowercase)
    own = [
        sacrebleu.BLEU(tokenize=tokenise, lowercase=lowercase),
        sacrebleu.CHRF(lowercase=lowercase),
        sacrebleu.TER(case_sensitive=not lowercase),
    ]
    for metric, made in zip(make_metrics(options, references), own, strict=True):
        expected = made.corpus_score(HYPOTHESES, references)
        assert corpus_score(metric, HYPOTHESES) == pytest.approx(expected.score, abs=1e-12)
        assert metric.name == expected.name
        assert metric.signature == f"{expected.name}|{made.get_signature()}"


def test_case_matters_unless_it_is_not_to() -> None:
    upper = [line.upper() for line in HYPOTHESES]
    for lowercase in (False, True):
        options = EvaluateOptions(lowercase=lowercase)
        pairs = [
            (corpus_score(metric, HYPOTHESES), corpus_score(metric, upper))
            for metric in make_metrics(options, REFERENCES)
        ]
        assert all((one == pytest.approx(other)) == lowercase for one, other in pairs)


@pytest.mark.parametrize(
    ("rank_by", "made"), [("chrf", sacrebleu.CHRF()), ("bleu", sacrebleu.BLEU(effective_order=True))]
)
def test_sentence_scores(rank_by, made) -> None:
    found = sentence_scores(HYPOTHESES, REFERENCES, EvaluateOptions(rank_by=rank_by))
    expected = [
        made.sentence_score(line, [lines[k] for lines in REFERENCES]).score for k, line in enumerate(HYPOTHESES)
    ]
    assert found == pytest.approx(expected)


def test_texts_that_do_not_go_together() -> None:
    with pytest.raises(InputError, match=r"a has 3 lines, b has 2 lines\. All must"):
        check_lengths([("a", 3), ("b", 2)])
    with pytest.raises(InputError, match="b: this file is empty"):
        check_lengths([("a", 3), ("b", 0)])


@pytest.mark.parametrize(
    ("chosen", "words"),
    [((), "no metric"), (("bluu",), "did you mean 'bleu'"), (("bleu", "bleu"), "twice")],
)
def test_metrics_that_cannot_be(chosen, words) -> None:
    with pytest.raises(OptionError, match=words):
        EvaluateOptions(metrics=chosen)
