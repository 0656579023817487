"""A tree of rules for a terminal: one word per line, the source and its tree on the left, the target on the right.

Next to a source word are the numbers of its aligned target words. If the sides do not fit next to each other, the
target is below.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rich.text import Text

from graphmt.draw.measure import cells
from graphmt.draw.rule_tree import RuleTree, Side

#: Maximum width of both sides, in cells.
WIDEST = 100
#: A piece of a line: text and style.
Piece = tuple[str, str]
_MIRRORED = {"├": "┤", "┌": "┐", "└": "┘"}


def rich_text(tree: RuleTree) -> Text:
    """The picture with the colours of its rules, for ``rich`` to print."""
    source = _source(tree)
    mirrored = _target(tree, mirrored=True)
    left, right = (max((_width(row) for row in rows), default=0) for rows in (source, mirrored))
    if left + 3 + right > WIDEST:
        rows = [*source, [], *_target(tree, mirrored=False)]
    else:
        rows = [
            [*(one or []), (" " * (left - _width(one or []) + 3), ""), *other] if other else one or []
            for one, other in zip_longest(source, mirrored)
        ]
    text = Text(no_wrap=True)
    for k, row in enumerate(rows):
        text.append("\n" if k else "")
        for written, style in row:
            text.append(written, style=style)
    return text


def _source(tree: RuleTree) -> list[list[Piece]]:
    """Tree, words, and the numbers of the target words that they are aligned with."""
    words = _words(tree, tree.words, tree.source_side)
    widest = max((cells(word) for word, _ in words), default=0)
    rows = []
    for i, (lane, (word, style)) in enumerate(zip(lanes(tree, tree.source_side, len(words)), words, strict=True)):
        linked = " ".join(str(j + 1) for at, j in tree.links if at == i)
        gap = " " * (widest - cells(word) + 2)
        rows.append([*lane, (word, style), *([(gap + linked, "dim")] if linked else [])])
    return rows


def _target(tree: RuleTree, *, mirrored: bool) -> list[list[Piece]]:
    """Numbers and words of the target, with the tree behind them if mirrored."""
    words = _words(tree, tree.target, tree.target_side)
    widest = max((cells(word) for word, _ in words), default=0)
    digits = len(str(len(words)))
    rows = []
    for j, (lane, (word, style)) in enumerate(zip(lanes(tree, tree.target_side, len(words)), words, strict=True)):
        number = (f"{j + 1:{digits}} ", "dim")
        gap = (" " * (widest - cells(word)), "")
        rows.append([number, (word, style), gap, *_mirror(lane)] if mirrored else [*lane, number, (word, style)])
    return rows


def _words(tree: RuleTree, words: Sequence[str], side: Side) -> list[Piece]:
    owners = side.owners(len(words))
    styles = [f"bold {tree.shade(k).line}" if k >= 0 else "" for k in owners]
    return list(zip(words, styles, strict=True))


def _width(row: Sequence[Piece]) -> int:
    return sum(cells(written) for written, _ in row)


def lanes(tree: RuleTree, side: Side, n: int) -> list[list[Piece]]:
    """The drawn part of each line, all of one width, from the highest level to the lowest.

    A level has room for a label, a joint and a line to what follows. A line that has to cross another passes below it.
    """
    rows: list[list[Piece]] = [[] for _ in range(n)]
    entered = [False] * n
    for level in range(side.height, 0, -1):
        here = [k for k, at in enumerate(side.levels) if at == level]
        room = max(cells(tree.label(k)) for k in here)
        by_row: dict[int, tuple[int, list[int]]] = {}
        for k in here:
            feet = sorted(i for s in side.drawn(k) for i in (s.words or side.spans[s.child][:1]))
            by_row.update((i, (k, feet)) for i in range(feet[0], feet[-1] + 1))
        for i in range(n):
            line = "─" if entered[i] else " "
            k, feet = by_row.get(i, (-1, []))
            style = f"bold {tree.shade(k).line}" if k >= 0 else ""
            name = tree.label(k) if k >= 0 and i == feet[0] else ""
            joint = _joint(i, feet) if k >= 0 else line
            entered[i] = entered[i] or i in feet
            rows[i] += [
                (line * (room - cells(name)), "dim"),
                (name, style),
                (joint, style if k >= 0 else "dim"),
                ("─" if entered[i] else " ", "dim"),
            ]
    for row in rows:
        row.append((" ", ""))
    return rows


def _joint(i: int, feet: list[int]) -> str:
    if i not in feet:
        return "│"
    if len(feet) == 1:
        return "─"
    return "┬" if i == feet[0] else "└" if i == feet[-1] else "├"


def _mirror(lane: Sequence[Piece]) -> list[Piece]:
    """The same from right to left, without trailing spaces."""
    pieces = [(_MIRRORED.get(written, written), style) for written, style in reversed(lane)]
    while pieces and not pieces[-1][0].strip():
        pieces.pop()
    return pieces
