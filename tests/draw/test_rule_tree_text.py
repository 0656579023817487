"""Trees of rules in characters: the tree can be read off the lines again."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from amounts import examples
from graphmt.draw import RuleNode, TreePicture
from graphmt.draw.measure import cells
from graphmt.draw.rule_tree import Side
from graphmt.draw.rule_tree_text import WIDEST, lanes
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rule_trees import rule_trees, scattered_trees

SWAP = TreePicture(
    ["im", "park", "mit", "ihr", "."],
    ["with", "her", "in", "the", "park", "."],
    [
        RuleNode(children=(1, 4), kind="glue", mark="+"),
        RuleNode((0, 2), (0, 2, 3), (2, 3)),
        RuleNode((3,), (1,)),
        RuleNode((1,), (4,)),
        RuleNode((4,), (5,), mark="?"),
    ],
    [(0, 2), (0, 3), (1, 4), (2, 0), (3, 1), (4, 5)],
)


def test_a_swap_by_hand() -> None:
    assert SWAP.text.splitlines() == [
        "1+┬─2⇄┬───── im    3 4   1 with ─────┬2⇄─┬1+",
        "  │   ├──4── park  5     2 her  ──3──┤   │",
        "  │   ├───── mit   1     3 in   ─────┤   │",
        "  │   └──3── ihr   2     4 the  ─────┤   │",
        "  └─────5?── .     6     5 park ──4──┘   │",
        "                         6 .    ──5?─────┘",
    ]


def test_words_of_two_cells() -> None:
    picture = TreePicture(["我", "喜欢", "茶"], ["茶"], [RuleNode((0, 2), (0,), (1,)), RuleNode((1,))], [(2, 0)])
    assert picture.text.splitlines() == [
        "1┬──── 我        1 茶 ──1",
        " ├─2── 喜欢",
        " └──── 茶    1",
    ]


def test_too_wide_for_side_by_side() -> None:
    words = [f"{'x' * 40}{k}" for k in range(3)]
    nodes = [RuleNode(children=(1, 2)), RuleNode((1, 2), (0, 1)), RuleNode((0,), (2,))]
    text = TreePicture(words, words, nodes, [(0, 2)]).text
    assert text.splitlines() == [
        f"1⇄┬─3── {words[0]}  3",
        f"  └─2┬─ {words[1]}",
        f"     └─ {words[2]}",
        "",
        f"1⇄┬─2┬─ 1 {words[0]}",
        f"  │  └─ 2 {words[1]}",
        f"  └─3── 3 {words[2]}",
    ]


def test_colours_only_on_a_terminal() -> None:
    stream = io.StringIO()
    SWAP.show(Console(file=stream, force_terminal=True, color_system="truecolor", width=80))
    assert "\x1b[" in stream.getvalue()
    stream = io.StringIO()
    SWAP.show(Console(file=stream, width=80))
    assert stream.getvalue() == SWAP.text + "\n" == f"{SWAP}\n"


def read_back(lines: list[str]) -> tuple[dict[int, int], list[int]]:
    """The parent of each labelled rule, and the rule of each line's word, by following the lines to the left."""

    def rule(i: int, at: int) -> int:
        """The rule whose line runs to the right from a column."""
        while at >= 0 and lines[i][at] == "─":
            at -= 1
        if at >= 0 and lines[i][at] in "├└":
            while lines[i][at] != "┬":
                i -= 1
                assert lines[i][at] in "│├┬"
        if lines[i][at] == "┬":
            at -= 1
        start = at
        while start > 0 and lines[i][start - 1].isdigit():
            start -= 1
        number = "".join(filter(str.isdigit, lines[i][start : at + 1]))
        if number and start > 0 and lines[i][start - 1] == "─":
            parents[int(number)] = rule(i, start - 1)
        return int(number)

    parents: dict[int, int] = {}
    return parents, [rule(i, len(line) - 1) for i, line in enumerate(lines)]


@given(rule_trees())
@settings(max_examples=examples(200), deadline=None)
def test_the_tree_can_be_read_back(tree: TreePicture) -> None:
    sides: list[tuple[Side, int]] = [(tree.source_side, len(tree.words)), (tree.target_side, len(tree.target))]
    for side, n in sides:
        drawn = ["".join(piece for piece, _ in row) for row in lanes(tree, side, n)]
        assert len({len(row) for row in drawn}) <= 1 and all(row.endswith(" ") for row in drawn)
        parents, owners = read_back([row[:-1] for row in drawn])
        assert [k - 1 for k in owners] == side.owners(n)
        for k, node in enumerate(tree.nodes):
            for child in node.children:
                if side.covers(child):
                    assert parents[child + 1] == k + 1


@given(st.one_of(rule_trees(), scattered_trees()))
@settings(max_examples=examples(100), deadline=None)
def test_every_word_is_there_once(tree: TreePicture) -> None:
    lines = tree.text.splitlines()
    shown = " ".join(lines).split()
    assert sorted(word for word in shown if word[0] in "st") == sorted([*tree.words, *tree.target])
    assert all(line == line.rstrip() for line in lines)
    stacked = "" in lines
    assert stacked or max(map(cells, lines)) <= WIDEST
    assert len(lines) == (len(tree.words) + 1 + len(tree.target) if stacked else max(len(tree.words), len(tree.target)))


def test_the_documentation_shows_what_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = Path(__file__).parent.parent.parent / "docs"
    written = (docs / "how-to" / "draw.md").read_text(encoding="utf-8").partition("## Trees of rules")[2]
    code = written.partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    names: dict[str, TreePicture] = {}
    exec(code, names)
    assert f"```text\n{names['tree'].text}\n```" in written
    assert (tmp_path / "playing.svg").read_text(encoding="utf-8") == (docs / "pictures" / "draw-tree.svg").read_text(
        encoding="utf-8"
    )
