"""Alignment error rate (Och & Ney 2003, section 6.1)."""

from __future__ import annotations

import pytest
from amounts import examples
from graphmt.align import Alignment, score
from graphmt.errors import InputError
from hypothesis import given, settings
from hypothesis import strategies as st


def gold(*lines: str) -> Alignment:
    alignment = Alignment()
    alignment.add_lines(list(lines))
    return alignment


def test_by_hand() -> None:
    # S = {0-0, 1-1, 0-1'}, P = S and {1-2, 2-3}; A has 5 links: 0-0 (S), 1-2 (P), 2-2, 3-3 (wrong), 0-1' (S).
    # precision = 3/5, recall = 2/3, AER = 1 - (2 + 3) / (5 + 3) = 3/8.
    result = score(gold("0-0 1-1 1p2 2?3", "0-1"), gold("0-0 1-2 2-2 3-3", "0-1"))
    assert result.precision == pytest.approx(3 / 5)
    assert result.recall == pytest.approx(2 / 3)
    assert result.error_rate == pytest.approx(3 / 8)


def test_nothing_found_and_nothing_to_find() -> None:
    nothing = score(gold("0-0"), gold(""))
    assert (nothing.precision, nothing.recall, nothing.error_rate) == (1.0, 0.0, 1.0)
    empty = score(gold(""), gold(""))
    assert (empty.precision, empty.recall, empty.error_rate) == (1.0, 1.0, 0.0)
    only_possible = score(gold("0p0"), gold("0-0"))
    assert (only_possible.precision, only_possible.recall, only_possible.error_rate) == (1.0, 1.0, 0.0)


pair = st.tuples(st.integers(0, 4), st.integers(0, 4))


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(st.sets(pair), st.sets(pair), st.sets(pair)), max_size=4))
def test_equals_the_formula_on_sets(sentences) -> None:
    lines = [
        " ".join([*(f"{i}-{j}" for i, j in sure), *(f"{i}p{j}" for i, j in maybe)]) for sure, maybe, _ in sentences
    ]
    found = Alignment.from_pairs([sorted(links) for _, _, links in sentences])
    result = score(gold(*lines), found)
    size = sum(len(links) for *_, links in sentences)
    sure = sum(len(sure) for sure, *_ in sentences)
    in_sure = sum(len(links & sure) for sure, _, links in sentences)
    in_possible = sum(len(links & (sure | maybe)) for sure, maybe, links in sentences)
    assert (result.found, result.sure) == (size, sure)
    assert (result.found_sure, result.found_possible) == (in_sure, in_possible)
    if size + sure:
        assert result.error_rate == pytest.approx(1 - (in_sure + in_possible) / (size + sure))


def test_different_texts_are_refused() -> None:
    with pytest.raises(InputError, match="gold alignment has 1 sentences and the other has 2"):
        score(gold("0-0"), gold("0-0", ""))
