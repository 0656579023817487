"""Block pairs that the reordering model learns from: by hand, and against the definition."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import naive_blocks
import pytest
import small_corpora
from graphmt.reorder import Example, ReorderOptions, list_examples
from hypothesis import given
from hypothesis import strategies as st
from naive_rules import Pair


def listed(corpus: list[Pair], **options: object) -> list[Example]:
    with tempfile.TemporaryDirectory() as folder:
        files = small_corpora.write(Path(folder), corpus)
        return list_examples(files["source"], files["target"], files["alignment"], ReorderOptions.from_mapping(options))


def one(source: str, target: str, links: str) -> Pair:
    words = tuple(source.split())
    points = frozenset((int(i), int(j)) for i, j in (link.split("-") for link in links.split()))
    return Pair(words, tuple(range(-1, len(words) - 1)), tuple(target.split()), points)


def example(left: str, right: str, order: str) -> Example:
    def block(text: str) -> tuple[str, str, str, str]:
        first, last, target_first, target_last = text.split()
        return first, last, target_first, target_last

    return Example(block(left), block(right), order == "straight")


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        # The adverb and the verb change places; "ich" and "heute" are no neighbours in the target text.
        (
            one("ich heute gehe", "i go today", "0-0 1-2 2-1"),
            [
                example("heute heute today today", "gehe gehe go go", "inverted"),
                example("ich ich i i", "heute gehe go today", "straight"),
            ],
        ),
        # "do" is unaligned: it stands between the blocks and is an end of neither.
        (
            one("was siehst", "what do see", "0-0 1-2"),
            [example("was was what what", "siehst siehst see see", "straight")],
        ),
        # "denn" is unaligned: every source word is in a block, so it goes with either neighbour.
        (
            one("was denn siehst", "what see", "0-0 2-1"),
            [
                example("was denn what what", "siehst siehst see see", "straight"),
                example("was was what what", "denn siehst see see", "straight"),
            ],
        ),
        # Aligned crosswise, the four words can be cut once only: 2413 has no binary bracketing (Wu 1997).
        (one("a b c d", "B D A C", "0-2 1-0 2-3 3-1"), []),
        (one("a b", "A B", ""), []),
    ],
)
def test_by_hand(pair: Pair, expected: list[Example]) -> None:
    assert Counter(listed([pair])) == Counter(expected)


@given(st.lists(small_corpora.pairs(), min_size=1, max_size=3), st.integers(1, 7))
def test_all_pairs_are_those_of_the_definition(corpus: list[Pair], most: int) -> None:
    expected = sum((naive_blocks.examples(pair, most) for pair in corpus), Counter())
    assert Counter(listed(corpus, max_length=most)) == expected


@given(small_corpora.pairs(), st.integers(1, 7), st.sampled_from(("smallest", "largest")))
def test_corners_are_those_of_the_definition(pair: Pair, most: int, which: str) -> None:
    assert Counter(listed([pair], max_length=most, blocks=which)) == naive_blocks.examples(pair, most, which)
