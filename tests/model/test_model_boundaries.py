"""Limits, and calibrated constants of the sentence memory, at their boundaries: just below, at and just above."""

from __future__ import annotations

import pytest
from graphmt.errors import OptionError
from graphmt.model import SentenceMemory
from graphmt.model.weights import checked_weight
from small_models import Trained


def words(first: int, end: int) -> str:
    return " ".join(f"w{k}" for k in range(first, end))


@pytest.mark.parametrize(("length", "found"), [(13, True), (14, True), (15, False)])
def test_similar_sources_share_several_words(demo: Trained, length: int, found: bool) -> None:
    """Four of twelve words, next to each other: similarities by formula (10) of 0.211, 0.195 and 0.180."""
    other = f"{words(0, 4)} {words(100, 100 + length - 4)}"
    memory = SentenceMemory(demo.load("pbmt"), [(other, "x")])
    assert [match.source for match in memory.similar(words(0, 12), 5)] == [other] * found


@pytest.mark.parametrize(("number", "compared"), [(49, 49), (50, 50), (51, 50)])
def test_fifty_sources_are_compared_word_by_word(demo: Trained, number: int, compared: int) -> None:
    pairs = [(f"{words(0, 9)} u{k:03d}", "x") for k in range(number)]
    memory = SentenceMemory(demo.load("pbmt"), pairs)
    assert len(memory.similar(words(0, 10), 100)) == compared


@pytest.mark.parametrize(("same", "similarity"), [(79, None), (80, 0.8), (81, 0.81)])
def test_eight_tenths_of_the_words_are_a_match(demo: Trained, same: int, similarity: float | None) -> None:
    memory = SentenceMemory(demo.load("pbmt"), [(f"{words(0, same)} {words(200, 300 - same)}", "x")])
    [match] = memory.find([words(0, 100)])
    assert (match and match.similarity) == (similarity and pytest.approx(similarity))


@pytest.mark.parametrize(("length", "similarity"), [(99, 98 / 99), (100, 0.99), (101, 0.99), (300, 0.99)])
def test_similar_is_never_as_good_as_the_same(demo: Trained, length: int, similarity: float) -> None:
    memory = SentenceMemory(demo.load("pbmt"), [(words(0, length), "x")])
    [match] = memory.find([f"{words(0, length - 1)} other"])
    assert match is not None and match.similarity == pytest.approx(similarity, abs=1e-9) and not match.taken


@pytest.mark.parametrize("size", [0.999e9, 1e9, 1.001e9])
@pytest.mark.parametrize("sign", [1, -1])
def test_weights_up_to_a_thousand_million(size: float, sign: int) -> None:
    if size <= 1e9:
        assert checked_weight("lm", sign * size) == sign * size
        return
    with pytest.raises(OptionError, match=r"at most 1e\+09 was expected"):
        checked_weight("lm", sign * size)
