"""Layout of words: wide enough for the words, the ends of their arcs and the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphmt.draw.measure import ems
from graphmt.draw.scene import Arc, Scene

WORD_SIZE, SMALL_SIZE = 16.0, 11.0
#: Between words; between the ends of two arcs at one word; beside a label on its arc.
GAP, PORT, LABEL_PAD = 16.0, 8.0, 14.0
MARGIN = 16.0


@dataclass(frozen=True)
class Layout:
    """In pixels: the middle and width of each word, the ends of each arc, and the width of it all."""

    source: list[float]
    widths: list[float]
    ports: dict[tuple[Arc, int], float]
    roots: dict[int, float]
    target: list[float]
    target_widths: list[float]
    width: float


def lay_out(scene: Scene) -> Layout:
    """Place the words of both rows."""
    offsets = _ports(scene)
    widths = [_width(scene, i, offsets) for i in range(len(scene.words))]
    source = _source(scene, widths, offsets)
    target_widths = [
        max(ems(word) * WORD_SIZE, _label_width(scene, scene.group_of_target(j))) for j, word in enumerate(scene.target)
    ]
    end = source[-1] + widths[-1] / 2 if source else 0.0
    target = spread(target_widths, end)
    last = target[-1] + target_widths[-1] / 2 if target else 0.0
    return Layout(
        source=source,
        widths=widths,
        ports={(arc, i): source[i] + offset for (arc, i), offset in offsets.items() if isinstance(arc, Arc)},
        roots={i: source[i] + offset for (arc, i), offset in offsets.items() if arc is None},
        target=target,
        target_widths=target_widths,
        width=max(end, last) + MARGIN,
    )


def _width(scene: Scene, i: int, offsets: dict[tuple[Arc | None, int], float]) -> float:
    tag = ems(scene.upos[i]) * SMALL_SIZE if scene.upos else 0.0
    ports = sum(1 for _, at in offsets if at == i) * PORT
    return max(ems(scene.words[i]) * WORD_SIZE, tag, ports, _label_width(scene, scene.group_of(i)))


def _label_width(scene: Scene, group: int | None) -> float:
    return 0.0 if group is None else ems(scene.label(group)) * SMALL_SIZE


def _ports(scene: Scene) -> dict[tuple[Arc | None, int], float]:
    """Where arcs end at their words, as distances from the middle.

    From left to right: arcs to the left, the short ones first; the root's line; arcs to the right, the long
    ones first. So no line down to a word crosses another arc of that word.
    """
    offsets: dict[tuple[Arc | None, int], float] = {}
    for i in range(len(scene.words)):
        to_left = sorted((arc for arc in scene.arcs if arc.right == i), key=lambda arc: -arc.left)
        to_right = sorted((arc for arc in scene.arcs if arc.left == i), key=lambda arc: -arc.right)
        ends: list[Arc | None] = [*to_left, *([None] if i in scene.roots else []), *to_right]
        for k, arc in enumerate(ends):
            offsets[arc, i] = (k - (len(ends) - 1) / 2) * PORT
    return offsets


def _source(scene: Scene, widths: Sequence[float], offsets: dict[tuple[Arc | None, int], float]) -> list[float]:
    places: list[float] = []
    for i, width in enumerate(widths):
        place = places[-1] + widths[i - 1] / 2 + GAP + width / 2 if places else MARGIN + width / 2
        for arc in scene.arcs:
            if arc.right == i:
                room = ems(arc.label) * SMALL_SIZE + LABEL_PAD + offsets[arc, arc.left] - offsets[arc, i]
                place = max(place, places[arc.left] + room)
        places.append(place)
    return places


def spread(widths: Sequence[float], end: float) -> list[float]:
    """The middles of the words of a row: spread out towards a place that another row reaches, if it is shorter."""
    natural = sum(widths) + GAP * (len(widths) - 1)
    spare = max(0.0, end - MARGIN - natural)
    gap = GAP + min(spare / max(1, len(widths) - 1), 3 * GAP)
    start = MARGIN + max(0.0, (end - MARGIN - sum(widths) - gap * (len(widths) - 1)) / 2)
    places = []
    for width in widths:
        places.append(start + width / 2)
        start += width + gap
    return places
