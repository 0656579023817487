"""Pictures for a terminal: one word per line, with the arcs in lanes to the left of the words.

An arc runs in one lane from the line of its head to that of its dependent, where an arrow leaves the lane. A
line that has to cross a lane passes below it: the lane's ``│`` is not interrupted.
"""

from __future__ import annotations

from rich.text import Text

from graphmt.draw.levels import collide, levels
from graphmt.draw.measure import cells, padded
from graphmt.draw.scene import Scene

ARROW = "►"
_LEFT, _RIGHT, _UP, _DOWN = 1, 2, 4, 8
_JOINTS = {
    _LEFT | _RIGHT: "─",
    _RIGHT | _UP: "└",
    _RIGHT | _DOWN: "┌",
    _RIGHT | _UP | _DOWN: "├",
    _LEFT | _RIGHT | _UP: "┴",
    _LEFT | _RIGHT | _DOWN: "┬",
    _LEFT | _RIGHT | _UP | _DOWN: "┼",
}


def lanes(scene: Scene) -> list[str]:
    """The drawn part of each line, all of one width; the lane nearest to the words is the last."""
    placed = levels(scene.arcs, collide)
    count = max(placed.values(), default=0)
    rows = []
    for i in range(len(scene.words)):
        row = ""
        entered = False
        for level in range(count, 0, -1):
            here = [arc for arc, at in placed.items() if at == level and arc.left <= i <= arc.right]
            ends = [arc for arc in here if i in (arc.left, arc.right)]
            arrives = any(arc.dependent == i for arc in ends)
            if ends:
                joint = _RIGHT | (_LEFT if entered else 0)
                joint |= _UP if any(arc.right == i for arc in ends) else 0
                joint |= _DOWN if any(arc.left == i for arc in ends) else 0
                row += _JOINTS[joint]
                entered = True
            elif here:
                row += "│"
            else:
                row += "─" if entered else " "
            row += ARROW if arrives else "─" if entered else " "
        rows.append(row)
    return rows


def rich_text(scene: Scene) -> Text:
    """The picture with the colours of its groups, for ``rich`` to print."""
    text = Text(no_wrap=True)
    columns = _columns(scene)
    widths = [max((cells(row) for row in column), default=0) for column in columns]
    for i, lane in enumerate(lanes(scene)):
        if i:
            text.append("\n")
        text.append(lane, style="dim")
        row = [padded(column[i], width) for column, width in zip(columns, widths, strict=True)]
        # No trailing spaces.
        last = max(k for k, column in enumerate(columns) if column[i] or k == 0)
        for k, cell in enumerate(row[: last + 1]):
            group = scene.group_of(i)
            coloured = k == 0 and group is not None
            text.append(" " if k == 0 else "  ")
            shown = columns[k][i] if k == last else cell
            text.append(shown, style=f"bold {scene.shade(group).line}" if coloured and group is not None else "")
    return text


def _columns(scene: Scene) -> list[list[str]]:
    """The words, then their other attributes."""
    columns = [list(scene.words)]
    if scene.upos:
        columns.append(list(scene.upos))
    if scene.deprels:
        columns.append(list(scene.deprels))
    if scene.groups:
        columns.append([_group(scene, i) for i in _range(scene)])
    if scene.target:
        sure, possible = set(scene.alignment), set(scene.possible)
        columns.append([_translation(scene, i, sure, possible) for i in _range(scene)])
    return columns


def _range(scene: Scene) -> range:
    return range(len(scene.words))


def _group(scene: Scene, i: int) -> str:
    """The label of a word's group, and the words that it must be linked to."""
    k = scene.group_of(i)
    linked = [scene.words[j] for word, j in scene.contexts if word == i]
    return "" if k is None else f"[{' '.join([scene.label(k), *linked])}]"


def _translation(scene: Scene, i: int, sure: set[tuple[int, int]], possible: set[tuple[int, int]]) -> str:
    linked = [(j, (i, j) in sure) for j in range(len(scene.target)) if (i, j) in sure or (i, j) in possible]
    return " ".join(scene.target[j] if certain else f"({scene.target[j]})" for j, certain in linked)
