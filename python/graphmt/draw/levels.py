"""Heights of arcs, so that nested arcs lie inside one another and lines do not overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphmt.draw.scene import Arc


def overlap(one: Arc, other: Arc) -> bool:
    """Whether two arcs have some stretch between words in common (touching at a word is none)."""
    return one.left < other.right and other.left < one.right


def collide(one: Arc, other: Arc) -> bool:
    """Whether two arcs in one lane could be mistaken: they overlap, or meet at a word that heads only one."""
    if overlap(one, other):
        return True
    meeting = {one.left, one.right} & {other.left, other.right}
    return bool(meeting) and not (one.head == other.head and one.head in meeting)


def levels(arcs: Sequence[Arc], conflict: Callable[[Arc, Arc], bool] = overlap) -> dict[Arc, int]:
    """A level from 1 for each arc: above every shorter arc that it is in conflict with."""
    placed: dict[Arc, int] = {}
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left)):
        placed[arc] = 1 + max((level for other, level in placed.items() if conflict(arc, other)), default=0)
    return placed
