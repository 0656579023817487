"""Translation graphs as pictures: the words of a sentence, their candidates, and the relations between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from graphmt.draw.measure import cells, ems, padded
from graphmt.draw.palette import Shade, shade
from graphmt.draw.svg import GREY, text_at, whole

#: Pixels: a row, the size of words, the length of a bar for the probability 1, the edges.
ROW, SIZE, BAR, MARGIN = 20.0, 14.0, 120.0, 16.0
#: Edges with a smaller weight are not drawn.
LEAST = 0.02


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A translation of a word: its association in training, and its evidence after the walk."""

    text: str
    association: float
    evidence: float
    probability: float


@dataclasses.dataclass(frozen=True)
class Word:
    """A source word with its candidates, the most probable first."""

    text: str
    candidates: Sequence[Candidate]
    #: The candidates beyond those shown.
    more: int = 0


@dataclasses.dataclass(frozen=True)
class ChoiceGraph:
    """A translation graph. Edges are two (word, candidate) pairs and a weight."""

    words: Sequence[Word]
    edges: Sequence[tuple[tuple[int, int], tuple[int, int], float]]

    @property
    def text(self) -> str:
        """For a terminal: a line for each candidate, with its probability before and after the walk."""
        rows: list[tuple[str, str, str]] = []
        for word in self.words:
            for k, one in enumerate(word.candidates):
                figures = f"{one.association:5.2f} → {one.probability:4.2f}  {'█' * round(20 * one.probability)}"
                rows.append((word.text if k == 0 else "", one.text, figures))
            if word.more:
                rows.append(("", f"({word.more} more)", ""))
        wide = [max((cells(row[k]) for row in rows), default=0) for k in (0, 1)]
        lines = (f"  {padded(a, wide[0])}  {padded(b, wide[1])}  {c}".rstrip() for a, b, c in rows)
        return "\n".join(lines)

    @property
    def svg(self) -> str:
        """As SVG: candidates in rows with their evidence as bars, edges as curves to the right of them."""
        left = MARGIN + max((ems(word.text) for word in self.words), default=0.0) * SIZE + 20
        wide = max((ems(one.text) for word in self.words for one in word.candidates), default=0.0) * SIZE
        bar = left + wide + 16
        right = bar + BAR + 12
        parts: list[str] = []
        at: dict[tuple[int, int], float] = {}
        y = MARGIN + ROW
        for w, word in enumerate(self.words):
            colours = shade(w)
            parts.append(_start(word.text, MARGIN, y, "bold"))
            for c, one in enumerate(word.candidates):
                at[w, c] = y - SIZE / 3
                parts.append(_start(one.text, left, y, "normal"))
                parts.append(_rect(bar, y - 11, BAR * one.probability, 13, colours))
                # The association: how the word is translated without context.
                x = bar + BAR * one.association
                parts.append(
                    f'<line x1="{x:.1f}" y1="{y - 13:.1f}" x2="{x:.1f}" y2="{y + 4:.1f}" stroke="{colours.line}"/>'
                )
                y += ROW
            if word.more:
                parts.append(_start(f"({word.more} more)", left, y, "normal", GREY))
                y += ROW
            y += ROW / 2
        strongest = max((weight for _, _, weight in self.edges), default=1.0)
        reach = right
        for origin, to, weight in self.edges:
            if origin in at and to in at and weight >= LEAST:
                a, b = at[origin], at[to]
                out = right + min(160.0, 20 + abs(a - b) / 2)
                reach = max(reach, out)
                path = f"M{right:.1f},{a:.1f} C{out:.1f},{a:.1f} {out:.1f},{b:.1f} {right:.1f},{b:.1f}"
                stroke = f'stroke="{shade(origin[0]).line}" stroke-opacity="{weight / strongest:.2f}"'
                parts.append(f'<path d="{path}" fill="none" {stroke}/>')
        key = "bar: evidence, normalised; tick: association in training; curves: support"
        parts.append(text_at(key, (MARGIN + reach) / 2, y + 8, 11, GREY))
        width = max(reach + MARGIN, ems(key) * 11 + 2 * MARGIN)
        return whole("Translation graph", self._in_words(), width, y + 24, parts)

    def _in_words(self) -> str:
        best = (f"{word.text}: {word.candidates[0].text}" for word in self.words if word.candidates)
        return "Most evidence: " + "; ".join(best)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.text


def _start(text: str, x: float, y: float, weight: str, colour: str = "") -> str:
    made = text_at(text, x, y, SIZE, colour)
    return made.replace("<text ", f'<text text-anchor="start" font-weight="{weight}" ', 1)


def _rect(x: float, y: float, width: float, height: float, colours: Shade) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}"'
    return f'<rect {place} {colours.border} stroke-width="0.5"/>'
