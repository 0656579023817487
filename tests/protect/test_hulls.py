"""Ranges of source positions against walking through them."""

from __future__ import annotations

from graphmt.protect.hulls import Hulls
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(0, 12), st.dictionaries(st.integers(0, 11), st.lists(st.integers(0, 20), max_size=3)))
def test_hulls(words: int, targets: dict[int, list[int]]) -> None:
    hulls = Hulls(words, targets)
    for start in range(words + 1):
        for end in range(start, words + 1):
            tokens = [token for position in range(start, end) for token in targets.get(position, ())]
            assert hulls.of(start, end) == ((min(tokens), max(tokens) + 1) if tokens else None)
