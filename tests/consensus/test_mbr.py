"""Minimum Bayes risk: expected gains against sacreBLEU's and a direct computation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graphmt import _core
from graphmt.errors import OptionError
from hypothesis import given
from hypothesis import strategies as st
from plain_formulas import Counter, ngrams
from sacrebleu.metrics.chrf import CHRF

LISTS = st.lists(
    st.lists(st.sampled_from(["der", "die", "das", "und", "ä"]), max_size=6).map(" ".join), min_size=1, max_size=5
)


def posterior(labels: list[str]) -> list[float]:
    return [(k + 1) / sum(range(1, len(labels) + 1)) for k in range(len(labels))]


@given(LISTS)
def test_expected_chrf_is_sacrebleus(labels: list[str]) -> None:
    p = posterior(labels)
    found = _core.CandidateLists([labels]).expected_gain(np.array(p), "chrf")
    metric = CHRF()
    for value, e in zip(found, labels, strict=True):
        wanted = sum(q * metric.sentence_score(e, [other]).score / 100 for q, other in zip(p, labels, strict=True))
        assert value == pytest.approx(wanted, abs=1e-9)


def bleu_plus_one(hypothesis: list[str], reference: list[str]) -> float:
    """One more match and n-gram above the first order, one more word of the reference."""
    product = 1.0
    for n in range(1, 5):
        own = Counter(ngrams(hypothesis, n))
        matches = sum((own & Counter(ngrams(reference, n))).values())
        if n == 1 and matches == 0:
            return 0.0
        product *= (matches + (n > 1)) / (sum(own.values()) + (n > 1))
    length, wanted = len(hypothesis), len(reference) + 1
    return (1.0 if length >= wanted else math.exp(1 - wanted / length)) * product**0.25


@given(LISTS)
def test_expected_bleu_as_written(labels: list[str]) -> None:
    p = posterior(labels)
    found = _core.CandidateLists([labels]).expected_gain(np.array(p), "bleu")
    for value, e in zip(found, labels, strict=True):
        wanted = sum(q * bleu_plus_one(e.split(), other.split()) for q, other in zip(p, labels, strict=True))
        assert value == pytest.approx(wanted, abs=1e-9)


def test_another_gain_is_refused() -> None:
    with pytest.raises(OptionError, match="expected bleu or chrf"):
        _core.CandidateLists([["a"]]).expected_gain(np.array([1.0]), "ter")
