"""Colours of groups, steps and rules: told apart by lightness and border where there are more of them than colours."""

from __future__ import annotations

from typing import NamedTuple

#: Colours that are distinguishable with any colour vision: (light fill, strong line).
PALETTE = (
    ("#dbeafe", "#1d5fa8"),
    ("#fde3c8", "#b8560b"),
    ("#d8f0dd", "#1b7a3d"),
    ("#f6d9ea", "#a02c73"),
    ("#fdf3bf", "#8a6d00"),
    ("#d3f0f2", "#0b7a83"),
    ("#e6ddf8", "#5f3dab"),
    ("#f0e0d6", "#7a4a2b"),
)
#: The border of every third and fourth round of the palette, as SVG's ``stroke-dasharray``.
DASHES = "5 3"
#: How much of the line's colour the stronger fill has, and how much black the stronger line.
_FILLED, _DARKENED = 0.32, 0.45


class Shade(NamedTuple):
    """Fill and line colour, and the pattern of a box's border; an empty one is solid."""

    fill: str
    line: str
    dashes: str = ""

    @property
    def border(self) -> str:
        """The attributes of a box in SVG."""
        dashes = f' stroke-dasharray="{self.dashes}"' if self.dashes else ""
        return f'fill="{self.fill}" stroke="{self.line}"{dashes}'


def shade(k: int) -> Shade:
    """The colours of the k-th group, from 0: the palette, then its stronger colours, then both with dashed borders."""
    turn, place = divmod(k, len(PALETTE))
    fill, line = PALETTE[place]
    if turn % 2:
        fill, line = _mixed(fill, line, _FILLED), _mixed(line, "#000000", _DARKENED)
    return Shade(fill, line, DASHES if turn % 4 > 1 else "")


def _mixed(one: str, other: str, share: float) -> str:
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
