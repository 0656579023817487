"""A translation and the similar sentences that supported it, in SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphmt.draw.markup import escape, quoteattr
from graphmt.draw.measure import ems
from graphmt.draw.svg import ARC, FONTS, GREY, INK

SIZE, SMALL = 14.0, 12.0
ROW, MARGIN, GAP = 46.0, 14.0, 120.0
#: The width of a line for a neighbour with all support.
WIDEST = 12.0
AGREED, OTHER = "#2b9a5b", INK


@dataclass(frozen=True)
class Neighbour:
    """A similar sentence with its translation, the similarity of the sources, and its share of the support."""

    source: str
    target: str
    similarity: float
    share: float


def neighbours_svg(source: str, chosen: str, neighbours: Sequence[Neighbour]) -> str:
    """The sentence on the left, its neighbours on the right; lines are as wide as their support.

    Words of a neighbour's translation that the choice has too are green.
    """
    left = max(_width(source), _width(chosen)) + 2 * MARGIN
    right = max((max(_width(one.source), _width(one.target)) for one in neighbours), default=0.0)
    width, height = left + GAP + right + 2 * MARGIN, max(1, len(neighbours)) * ROW + 2 * MARGIN
    middle = height / 2
    parts = []
    for k, one in enumerate(neighbours):
        y = MARGIN + (k + 0.5) * ROW
        parts.append(_line(left, middle, left + GAP, y, one))
        parts.append(_text(one.source, left + GAP + MARGIN, y - 4, SMALL, GREY))
        parts.append(_marked(one.target, set(chosen.split()), left + GAP + MARGIN, y + 13))
    parts.append(_text(source, MARGIN, middle - 4, SMALL, GREY))
    parts.append(_text(chosen, MARGIN, middle + 13, SIZE, INK))
    said = "; ".join(f"{one.share:.0%} {one.source} = {one.target}" for one in neighbours)
    title = f"{source} = {chosen}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
    return "\n".join(
        [
            f'{head} viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label={quoteattr(title)} '
            f'font-family="{FONTS}">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(said)}</desc>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def _width(text: str) -> float:
    return ems(text) * SIZE


def _text(text: str, x: float, y: float, size: float, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.0f}" fill="{colour}">{escape(text)}</text>'


def _marked(text: str, shared: set[str], x: float, y: float) -> str:
    pieces = [f'<tspan fill="{AGREED if word in shared else OTHER}">{escape(word)}</tspan>' for word in text.split()]
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{SIZE:.0f}">{" ".join(pieces)}</text>'


def _line(x: float, y: float, end: float, end_y: float, one: Neighbour) -> str:
    bend = (end - x) / 2
    path = f"M{x:.1f} {y:.1f} C{x + bend:.1f} {y:.1f} {end - bend:.1f} {end_y:.1f} {end:.1f} {end_y:.1f}"
    wide = max(0.8, WIDEST * one.share)
    line = (
        f'<path class="voice" d="{path}" fill="none" stroke="{ARC}" stroke-width="{wide:.1f}" stroke-opacity="0.45"/>'
    )
    label = f"{one.share:.0%} · {one.similarity:.2f}"
    return line + _text(label, end - 4 - ems(label) * 10, end_y - wide / 2 - 4, 10, GREY)
