"""The source graph against its definitions, on random trees."""

from __future__ import annotations

import pytest
from graphmt import graph
from graphmt.errors import InputError, OptionError
from hypothesis import given
from hypothesis import strategies as st
from random_trees import heads


def ancestors(tree: list[int], word: int) -> list[int]:
    found = []
    while tree[word] != -1:
        word = tree[word]
        found.append(word)
    return found


def naive_is_projective(tree: list[int]) -> bool:
    """Every word strictly between a word and its head is dominated by that head."""
    return all(
        head in ancestors(tree, between)
        for word, head in enumerate(tree)
        if head != -1
        for between in range(min(word, head) + 1, max(word, head))
    )


def naive_projectivise(tree: list[int]) -> list[int]:
    """Nivre and Nilsson (2005): lift the shortest, then leftmost, arc that is not projective."""
    tree = list(tree)
    while True:
        crossing = [
            (abs(word - head), min(word, head), word)
            for word, head in enumerate(tree)
            if head != -1
            and not all(head in ancestors(tree, between) for between in range(min(word, head) + 1, max(word, head)))
        ]
        if not crossing:
            return tree
        word = min(crossing)[2]
        tree[word] = tree[tree[word]]


@given(heads())
def test_is_projective_is_its_definition(tree: list[int]) -> None:
    assert graph.is_projective(tree) == naive_is_projective(tree)


@given(heads(most=16))
def test_projectivising(tree: list[int]) -> None:
    lifted = graph.projectivise(tree)
    assert list(lifted) == naive_projectivise(tree)
    assert graph.check_tree(lifted) == graph.check_tree(tree)
    assert naive_is_projective(list(lifted))
    assert graph.projectivise(lifted) == lifted
    if naive_is_projective(tree):
        assert list(lifted) == tree
    for word, (new, old) in enumerate(zip(lifted, tree, strict=True)):
        if new != old:
            assert new in ancestors(tree, old), f"word {word} left the path to the root"


@given(heads(), st.booleans(), st.booleans())
def test_links_are_their_definition(tree: list[int], bigram: bool, dependency: bool) -> None:
    kinds = ["bigram"] * bigram + ["dependency"] * dependency
    wanted = set()
    if bigram:
        wanted |= {(word, word + 1) for word in range(len(tree) - 1)}
    if dependency:
        wanted |= {(min(word, head), max(word, head)) for word, head in enumerate(tree) if head != -1}
    found = graph.links(tree, kinds)
    assert found.shape == (len(wanted), 2)
    assert [tuple(row) for row in found.tolist()] == sorted(wanted)


@given(st.lists(st.integers(-1, 6), min_size=1, max_size=6))
def test_check_tree_is_its_definition(candidate: list[int]) -> None:
    size = len(candidate)

    def reaches_root(word: int) -> bool:
        for _ in range(size + 1):
            if candidate[word] == -1:
                return True
            word = candidate[word]
        return False

    valid = (
        all(head < size for head in candidate)
        and candidate.count(-1) == 1
        and all(reaches_root(word) for word in range(size))
    )
    try:
        assert candidate[graph.check_tree(candidate)] == -1
        told = True
    except InputError:
        told = False
    assert told == valid


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([], "no root"),
        ([1, 0], "no root"),
        ([-1, -1], "a second root: words 1 and 2"),
        ([-1, 2, 1], "a cycle: the heads lead 2 → 3 → 2"),
        ([-1, 5], "word 2 has HEAD 6, but the sentence has words 1 to 2"),
    ],
)
def test_heads_that_are_no_tree_are_refused(bad: list[int], words: str) -> None:
    for call in (graph.is_projective, graph.projectivise, graph.check_tree):
        with pytest.raises(InputError, match=words):
            call(bad)


def test_a_kind_of_link_is_spelled_right() -> None:
    with pytest.raises(OptionError, match="did you mean 'bigram'"):
        graph.links([-1], ["bigramm"])
