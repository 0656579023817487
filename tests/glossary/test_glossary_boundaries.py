"""The limit of a term's length: just below, at and just above."""

from __future__ import annotations

import contextlib

import pytest
from graphmt.corpus import TextSteps
from graphmt.errors import InputError
from graphmt.glossary import Glossary, Term, TermMatcher


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (31, 1, ""),
        (32, 1, ""),
        (33, 1, "the term has 33 tokens"),
        (1, 31, ""),
        (1, 32, ""),
        (1, 33, "its translation has 33 tokens"),
    ],
)
def test_terms_have_up_to_32_tokens(source: int, target: int, message: str) -> None:
    term = Term(" ".join(["w"] * source), " ".join(["x"] * target))
    with pytest.raises(InputError, match=message) if message else contextlib.nullcontext():
        TermMatcher(Glossary((term,)), TextSteps(), TextSteps())
