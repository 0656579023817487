"""A tree of rules in SVG: in source order above the source words, in target order below the target words.

Both halves show the same rules, by number and colour. A rule is a badge on a line; the line has a strong foot at each
stretch of the rule's own words and a thin one at each rule in its holes. Reordered holes are numbered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphmt import _core
from graphmt.draw.layout import GAP, MARGIN, SMALL_SIZE, WORD_SIZE, spread
from graphmt.draw.markup import escape
from graphmt.draw.measure import ems
from graphmt.draw.rule_tree import RuleTree, Side
from graphmt.draw.svg import GREY, link, text_at, whole

#: Between the levels of a tree; from the lowest level to the middle of the words.
LEVEL, DROP = 30.0, 36.0
#: Distance between the rows of words, minimum and maximum: a share of the longest movement, so that lines are not flat.
ROWS, MOST_ROWS, SLOPE = 96.0, 220.0, 0.16
#: A word's box above and below its base line, and beyond its ends; half a badge; the bend of a line.
ABOVE, BELOW, BEYOND, HALF, ROUND = 17.0, 8.0, 5.0, 8.5, 8.0


@dataclass(frozen=True)
class _Half:
    """One side of the tree and where it is drawn: up from a row of words (-1) or down from it (+1)."""

    tree: RuleTree
    side: Side
    middles: Sequence[float]
    widths: Sequence[float]
    base: float
    up: int

    @property
    def edge(self) -> float:
        """Where the boxes of the words end towards the tree."""
        return self.base - ABOVE if self.up < 0 else self.base + BELOW

    def height(self, k: int) -> float:
        """The line of a node."""
        middle = self.base + (BELOW - ABOVE) / 2
        return middle + self.up * (DROP + (self.side.levels[k] - 1) * LEVEL)

    def ends(self, words: Sequence[int]) -> tuple[float, float]:
        """The box around neighbouring words."""
        first, last = words[0], words[-1]
        left = self.middles[first] - self.widths[first] / 2 - BEYOND
        return left, self.middles[last] + self.widths[last] / 2 + BEYOND

    def places(self) -> list[float]:
        """The middle of each node: between its outermost feet."""
        found = [0.0] * len(self.tree.nodes)
        for k in reversed(range(len(found))):
            feet = [sum(self.ends(s.words)) / 2 if s.words else found[s.child] for s in self.side.drawn(k)]
            found[k] = (min(feet) + max(feet)) / 2 if feet else 0.0
        return found

    def draw(self) -> tuple[list[str], list[str], list[str]]:
        """Boxes, lines and badges, from back to front."""
        boxes, lines, badges = [], [], []
        places = self.places()
        for k in range(len(self.tree.nodes)):
            _core.point()
            if not self.side.covers(k):
                continue
            colours = self.tree.shade(k)
            y, feet = self.height(k), []
            for symbol in self.side.drawn(k):
                if symbol.words:
                    left, right = self.ends(symbol.words)
                    boxes.append(
                        f'<rect class="group" data-group="{k + 1}" x="{left:.1f}" y="{self.base - ABOVE:.1f}" rx="6" '
                        f'width="{right - left:.1f}" height="{ABOVE + BELOW:.0f}" {colours.border}/>'
                    )
                    feet.append(((left + right) / 2, self.edge, 2.2))
                else:
                    feet.append((places[symbol.child], self.height(symbol.child) - self.up * HALF, 1.1))
            lines += self._lines(places[k], y, feet, colours.line)
            badges.append(self._badge(k, places[k], y))
            if self.tree.is_reordered(k):
                lines += self._numbers(k, y, places)
        return boxes, lines, badges

    def _lines(self, middle: float, y: float, feet: list[tuple[float, float, float]], colour: str) -> list[str]:
        """From the badge to each foot; the outermost are bent. Strong ones go first, so that thin ones stay seen."""
        rows = []
        outermost = {min(x for x, _, _ in feet), max(x for x, _, _ in feet)}
        for x, end, width in sorted(feet, key=lambda foot: -foot[2]):
            bend = min(ROUND, abs(x - middle)) if x in outermost else 0.0
            turn = bend if x > middle else -bend
            corner = f"Q{x:.1f} {y:.1f} {x:.1f} {y - self.up * bend:.1f} " if bend else ""
            path = f"M{middle:.1f} {y:.1f} H{x - turn:.1f} {corner}V{end:.1f}"
            rows.append(f'<path class="foot" d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        return rows

    def _badge(self, k: int, x: float, y: float) -> str:
        name = self.tree.label(k)
        width = badge_width(name)
        source, target = self.tree.written(k)
        ring = ' stroke-width="2"' if self.tree.is_reordered(k) else ""
        return (
            f'<g class="rule" data-rule="{k + 1}"><title>{escape(f"{self.tree.nodes[k].kind}: {source} | {target}")}'
            f'</title><rect x="{x - width / 2:.1f}" y="{y - HALF:.1f}" width="{width:.1f}" height="{2 * HALF:.0f}" '
            f'rx="{HALF}" {self.tree.shade(k).border}{ring}/>{text_at(name, x, y + 4, SMALL_SIZE)}</g>'
        )

    def _numbers(self, k: int, y: float, places: Sequence[float]) -> list[str]:
        down = y - self.up * 15.5 + 3.5
        return [
            text_at(f"[{number}]", places[child] + 11, down, SMALL_SIZE - 1, self.tree.shade(k).line)
            for number, child in enumerate(self.tree.holes(k), 1)
            if self.side.covers(child)
        ]


def badge_width(name: str) -> float:
    """The width of a badge with its text."""
    return ems(name) * SMALL_SIZE + 10


def render(tree: RuleTree) -> str:
    """The picture as one ``<svg>`` element."""
    source, target = tree.source_side, tree.target_side
    widths = _widths(tree, source, tree.words), _widths(tree, target, tree.target)
    end = MARGIN + max(sum(row) + GAP * max(0, len(row) - 1) for row in widths)
    rows = spread(widths[0], end), spread(widths[1], end)
    longest = max((abs(rows[0][i] - rows[1][j]) for i, j in tree.links), default=0.0)
    first = MARGIN + _reach(source) - (BELOW - ABOVE) / 2
    second = first + min(MOST_ROWS, max(ROWS, SLOPE * longest))
    upper = _Half(tree, source, rows[0], widths[0], first, -1)
    lower = _Half(tree, target, rows[1], widths[1], second, 1)
    parts = [
        *_alignment(tree, upper, lower),
        *(part for drawn in zip(upper.draw(), lower.draw(), strict=True) for half in drawn for part in half),
        *(text_at(word, x, first, WORD_SIZE) for word, x in zip(tree.words, rows[0], strict=True)),
        *(text_at(word, x, second, WORD_SIZE) for word, x in zip(tree.target, rows[1], strict=True)),
    ]
    title = tree.title or f"{' '.join(tree.words)} = {' '.join(tree.target)}"
    height = second + (BELOW - ABOVE) / 2 + _reach(target) + MARGIN
    return whole(title, tree.description or tree.in_words(), end + MARGIN, height, parts)


def _reach(side: Side) -> float:
    """From the middle of the words to the end of the tree."""
    return DROP + (side.height - 1) * LEVEL + HALF if side.height else (ABOVE + BELOW) / 2


def _alignment(tree: RuleTree, upper: _Half, lower: _Half) -> list[str]:
    owners = upper.side.owners(len(tree.words))
    top, bottom = upper.base + BELOW + 1, lower.base - ABOVE - 1
    rows = []
    for i, j in tree.links:
        colour = tree.shade(owners[i]).line if owners[i] >= 0 else GREY
        rows.append(link(upper.middles[i], top, lower.middles[j], bottom, colour, bend=(bottom - top) / 2))
    return rows


def _widths(tree: RuleTree, side: Side, words: Sequence[str]) -> list[float]:
    """Wide enough for a badge above each word that is a rule's only one."""
    owners = side.owners(len(words))
    badges = [badge_width(tree.label(k)) - 2 * BEYOND if k >= 0 else 0.0 for k in owners]
    return [max(ems(word) * WORD_SIZE, badge) for word, badge in zip(words, badges, strict=True)]
