"""Trees of rules: sides, levels, and the sentences that they spell."""

from __future__ import annotations

import pytest
from amounts import examples
from graphmt.draw import RuleNode, RuleTree
from graphmt.draw.palette import shade
from graphmt.draw.rule_tree import JOINING, Side, Symbol
from graphmt.errors import InputError
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_trees import rule_trees, scattered_trees

#: im park mit ihr = with her in the park: one rule swaps its two holes.
SWAP = RuleTree(
    ["im", "park", "mit", "ihr"],
    ["with", "her", "in", "the", "park"],
    [RuleNode((0, 2), (0, 2, 3), (1, 2)), RuleNode((3,), (1,)), RuleNode((1,), (4,))],
)


def test_a_swap_by_hand() -> None:
    assert SWAP.source_side == Side(
        ((Symbol((0,)), Symbol(child=2), Symbol((2,)), Symbol(child=1)), (Symbol((3,)),), (Symbol((1,)),)),
        ((0, 3), (3, 3), (1, 1)),
        ((1, 2), (), ()),
    )
    assert SWAP.source_side.levels == (2, 1, 1)
    # The two words between the holes are one symbol.
    assert SWAP.target_side.symbols[0] == (Symbol((0,)), Symbol(child=1), Symbol((2, 3)), Symbol(child=2))
    assert SWAP.holes(0) == [2, 1]
    assert SWAP.written(0) == ("im [1] mit [2]", "with [2] in the [1]")
    assert SWAP.is_reordered(0) and not SWAP.is_reordered(1)
    assert [SWAP.label(k) for k in range(3)] == ["1⇄", "2", "3"]
    assert SWAP.in_words().startswith("step 1, rule: im [step 3] mit [step 2] = with [step 2] in the [step 3]; step 2")


def test_colours_are_for_rules_with_words() -> None:
    tree = RuleTree(["a"], ["b"], [RuleNode(children=(1,)), RuleNode(children=(2,)), RuleNode((0,), (0,))])
    assert [tree.shade(k) for k in range(3)] == [JOINING, JOINING, shade(0)]
    assert tree.depths == (0, 1, 2) and tree.source_side.levels == (3, 2, 1)


def test_a_rule_that_leaves_words_out() -> None:
    tree = RuleTree(["äh", "ja"], ["yes"], [RuleNode(children=(1, 2)), RuleNode((0,)), RuleNode((1,), (0,))])
    assert tree.target_side.levels == (2, 0, 1) and not tree.target_side.covers(1)
    assert tree.written(0) == ("[1] [2]", "[1] [2]") and tree.written(1) == ("äh", "")
    assert [symbol.child for symbol in tree.target_side.drawn(0)] == [2]


def lowest_levels(side: Side) -> list[int]:
    """The levels by their definition: the lowest above the holes on which no node that came before meets this one."""
    found = [0] * len(side.spans)
    for k in reversed(range(len(found))):
        if not side.covers(k):
            continue
        level = 1 + max((found[child] for child in side.children[k]), default=0)
        while any(found[other] == level and meet(side.spans[k], side.spans[other]) for other in range(len(found))):
            level += 1
        found[k] = level
    return found


def meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return bool(set(range(one[0], one[1] + 1)) & set(range(other[0], other[1] + 1)))


def spelt(tree: RuleTree, k: int, side: int) -> str:
    """A rule with its holes filled."""
    line = tree.written(k)[side]
    for number, child in enumerate(tree.holes(k), 1):
        line = line.replace(f"[{number}]", spelt(tree, child, side))
    return " ".join(line.split())


@given(rule_trees())
@settings(max_examples=examples(150), deadline=None)
def test_filling_the_holes_spells_both_sentences(tree: RuleTree) -> None:
    assert spelt(tree, 0, 0) == " ".join(tree.words)
    assert spelt(tree, 0, 1) == " ".join(tree.target)


@given(st.one_of(rule_trees(), scattered_trees()))
@settings(max_examples=examples(150), deadline=None)
def test_levels(tree: RuleTree) -> None:
    for side, own, n in (
        (tree.source_side, [node.source for node in tree.nodes], len(tree.words)),
        (tree.target_side, [node.target for node in tree.nodes], len(tree.target)),
    ):
        taken = set()
        for k, node in enumerate(tree.nodes):
            below = {*own[k]}
            stack = list(node.children)
            while stack:
                child = stack.pop()
                below |= {*own[child]}
                stack += tree.nodes[child].children
            assert side.covers(k) == bool(below)
            if not below:
                continue
            assert side.spans[k] == (min(below), max(below))
            assert all(side.levels[child] < side.levels[k] for child in node.children)
            cells = {(side.levels[k], i) for i in range(min(below), max(below) + 1)}
            assert not cells & taken
            taken |= cells
        assert list(side.levels) == lowest_levels(side)
        assert side.owners(n) == [next((k for k, words in enumerate(own) if i in words), -1) for i in range(n)]


@given(rule_trees())
@settings(max_examples=examples(50), deadline=None)
def test_trees_of_a_chart_are_no_higher_than_they_are_deep(tree: RuleTree) -> None:
    assert max(tree.source_side.height, tree.target_side.height) <= 1 + max(tree.depths)


@pytest.mark.parametrize(
    ("nodes", "links", "message"),
    [
        ([RuleNode((2,))], [], "source position 2 of rule 1 is none of 2 words"),
        ([RuleNode((0,), (0,), (1,)), RuleNode((1,), (0,))], [], "target position 0 of rule 2 is in two rules"),
        ([RuleNode((0,), (), (0,))], [], "rule 1 has the child 1"),
        ([RuleNode(children=(2,)), RuleNode(children=(2,)), RuleNode((0,))], [], "rule 2 has the child 3"),
        ([RuleNode(children=(3,))], [], "rule 1 has the child 4"),
        ([RuleNode((0,))], [(0, 1)], r"an alignment holds \(0, 1\)"),
    ],
)
def test_bad_input(nodes: list[RuleNode], links: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RuleTree(["a", "b"], ["c"], nodes, links)
