"""Limits of what is drawn: just below, at and just above."""

from __future__ import annotations

import pytest
from graphmt.draw.choices import Candidate, ChoiceGraph, Word


@pytest.mark.parametrize(("weight", "drawn"), [(0.019, 0), (0.02, 1), (0.021, 1)])
def test_weak_support_is_not_drawn(weight: float, drawn: int) -> None:
    words = [Word(text, [Candidate(text.upper(), 0.5, 0.5, 1.0)]) for text in ("a", "b")]
    assert ChoiceGraph(words, [((0, 0), (1, 0), weight)]).svg.count("<path") == drawn
