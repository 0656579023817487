"""Charts in SVG: lines, bars and points, with axes, ticks, a legend and error bars.

They are self-contained, use the text colour of the page (``currentColor``), distinguish series by shape and dashes as
well as by colour, and list their numbers in ``<desc>`` for screen readers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from graphmt.draw.markup import escape, quoteattr
from graphmt.draw.measure import ems

#: Medium tones, visible on light and dark backgrounds.
COLOURS = ("#2f7fc4", "#d9771f", "#2b9a5b", "#c2518f", "#a08a10", "#1595a0", "#8366cc", "#a5694a")
DASHES = ("", "7 3", "2 3", "9 3 2 3")
WIDTH, HEIGHT = 720.0, 320.0
SIZE = 12.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 16.0, 14.0, 52.0
LEGEND = 24.0


@dataclass(frozen=True)
class Series:
    """Named values; ``error`` draws error bars of that size."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    error: Sequence[float] = ()


def line_chart(
    series: Sequence[Series],
    *,
    title: str,
    x_label: str = "",
    y_label: str = "",
    x_names: Sequence[str] = (),
    lines: bool = True,
) -> str:
    """Lines with points. ``x_names`` name the places 0, 1, 2 …; without them x is a number like y."""
    points = [(x, y) for one in series for x, y in zip(one.x, one.y, strict=True)]
    if x_names:
        low, high = -0.5, len(x_names) - 0.5
        x_ticks = [(float(k), name) for k, name in enumerate(x_names)]
    else:
        values = ticks(min((x for x, _ in points), default=0), max((x for x, _ in points), default=1), 8)
        whole = all(float(x).is_integer() for x, _ in points)
        x_ticks = [(v, number(v)) for v in values if not whole or float(v).is_integer()]
        low, high = values[0], values[-1]
    frame = _Frame((low, high), _range(series), len(series) > 1)
    parts = frame.axes(x_ticks, x_label, y_label)
    for k, one in enumerate(series):
        parts += _line(frame, one, k, len(series), lines=lines, spread=bool(x_names))
    if len(series) > 1:
        parts += _legend([one.name for one in series], bars=False)
    return _whole(title, parts, series, x_names)


def point_chart(
    series: Sequence[Series],
    *,
    title: str,
    x_label: str = "",
    y_label: str = "",
    x_names: Sequence[str] = (),
) -> str:
    """Points without lines between them."""
    return line_chart(series, title=title, x_label=x_label, y_label=y_label, x_names=x_names, lines=False)


def bar_chart(
    series: Sequence[Series], *, title: str, x_names: Sequence[str], x_label: str = "", y_label: str = ""
) -> str:
    """Bars from 0, those of the same name side by side; ``x`` of the series says which name (0, 1, 2 …)."""
    frame = _Frame((-0.5, len(x_names) - 0.5), _range(series, zero=True), len(series) > 1)
    parts = frame.axes([(float(k), name) for k, name in enumerate(x_names)], x_label, y_label)
    width = 0.76 / max(1, len(series))
    for k, one in enumerate(series):
        colour = COLOURS[k % len(COLOURS)]
        errors = one.error or [0.0] * len(one.y)
        for x, y, error in zip(one.x, one.y, errors, strict=True):
            left, right = frame.x(x - 0.38 + k * width), frame.x(x - 0.38 + (k + 1) * width)
            top, base = sorted((frame.y(y), frame.y(0.0)))
            parts.append(
                f'<rect x="{left + 1:.1f}" y="{top:.1f}" width="{max(1.0, right - left - 2):.1f}" '
                f'height="{base - top:.1f}" fill="{colour}" fill-opacity="0.85"/>'
            )
            parts += _error(frame, (left + right) / 2, y, error, "currentColor")
    if len(series) > 1:
        parts += _legend([one.name for one in series], bars=True)
    return _whole(title, parts, series, x_names)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers, evenly apart, from at or below ``low`` to at or above ``high``."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return [0.0, 1.0]
    if high - low < 1e-300:
        low, high = low - 0.5, low + 0.5
    rough = (high - low) / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def number(value: float) -> str:
    """A number as an axis shows it."""
    return f"{value:,.6g}" if value != 0 else "0"


class _Frame:
    """Mapping of values to coordinates."""

    def __init__(self, xs: tuple[float, float], ys: list[float], legend: bool) -> None:
        self.xs, self.y_ticks = xs, ys
        self.top = TOP + (LEGEND if legend else 0.0)

    def x(self, value: float) -> float:
        low, high = self.xs
        return LEFT + (value - low) / ((high - low) or 1.0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return HEIGHT - BOTTOM - (value - low) / ((high - low) or 1.0) * (HEIGHT - BOTTOM - self.top)

    def axes(self, x_ticks: Sequence[tuple[float, str]], x_label: str, y_label: str) -> list[str]:
        floor, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        parts = []
        for value in self.y_ticks:
            y = self.y(value)
            parts.append(f'<path d="M{LEFT} {y:.1f} H{right}" stroke="currentColor" stroke-opacity="0.15"/>')
            parts.append(_text(number(value), LEFT - 8, y + 4, "end"))
        parts.append(f'<path d="M{LEFT} {floor} H{right}" stroke="currentColor" stroke-opacity="0.6"/>')
        for value, name in x_ticks:
            x = self.x(value)
            parts.append(f'<path d="M{x:.1f} {floor} v5" stroke="currentColor" stroke-opacity="0.6"/>')
            parts += [_text(row, x, floor + 19 + 14 * k) for k, row in enumerate(name.split("\n"))]
        if x_label:
            parts.append(_text(x_label, (LEFT + right) / 2, HEIGHT - 4))
        if y_label:
            middle = (self.top + floor) / 2
            turned = f'transform="rotate(-90 14 {middle:.1f})"'
            parts.append(_text(y_label, 14, middle, extra=turned))
        return parts


def _range(series: Sequence[Series], zero: bool = False) -> list[float]:
    lows = [y - e for one in series for y, e in zip(one.y, one.error or [0.0] * len(one.y), strict=True)]
    highs = [y + e for one in series for y, e in zip(one.y, one.error or [0.0] * len(one.y), strict=True)]
    low, high = min(lows, default=0.0), max(highs, default=1.0)
    return ticks(min(low, 0.0), max(high, 0.0)) if zero else ticks(low, high)


def _line(frame: _Frame, one: Series, k: int, count: int, *, lines: bool, spread: bool) -> list[str]:
    colour = COLOURS[k % len(COLOURS)]
    # On a categorical axis, series are shifted so that their error bars do not overlap.
    shift = (k - (count - 1) / 2) * 7.0 if spread else 0.0
    places = [(frame.x(x) + shift, frame.y(y)) for x, y in zip(one.x, one.y, strict=True)]
    parts = []
    if lines and len(places) > 1:
        path = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        dash = DASHES[k % len(DASHES)]
        style = f' stroke-dasharray="{dash}"' if dash else ""
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"{style}/>')
    errors = one.error or [0.0] * len(places)
    for (x, y), value, error in zip(places, one.y, errors, strict=True):
        parts += _error(frame, x, value, error, colour)
        parts.append(_mark(x, y, k))
    return parts


def _error(frame: _Frame, x: float, value: float, error: float, colour: str) -> list[str]:
    if not error:
        return []
    top, bottom = frame.y(value + error), frame.y(value - error)
    path = f"M{x - 4:.1f} {top:.1f} h8 M{x:.1f} {top:.1f} V{bottom:.1f} M{x - 4:.1f} {bottom:.1f} h8"
    return [f'<path d="{path}" stroke="{colour}" stroke-width="1.2" fill="none" class="error"/>']


def _mark(x: float, y: float, k: int) -> str:
    colour = COLOURS[k % len(COLOURS)]
    shapes = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>',
        f'<rect x="{x - 3.7:.1f}" y="{y - 3.7:.1f}" width="7.4" height="7.4" fill="{colour}"/>',
        f'<path d="M{x:.1f} {y - 5:.1f} l4.8 8.4 h-9.6 z" fill="{colour}"/>',
        f'<path d="M{x:.1f} {y - 5.2:.1f} l5.2 5.2 l-5.2 5.2 l-5.2 -5.2 z" fill="{colour}"/>',
    )
    return shapes[k % len(shapes)]


def _legend(names: Sequence[str], *, bars: bool) -> list[str]:
    parts = []
    x = LEFT
    for k, name in enumerate(names):
        if bars:
            parts.append(f'<rect x="{x}" y="8" width="14" height="12" fill="{COLOURS[k % len(COLOURS)]}"/>')
        else:
            parts.append(_mark(x + 6, 14, k))
        parts.append(_text(name, x + 20, 18, "start"))
        x += 38 + ems(name) * SIZE
    return parts


def _text(text: str, x: float, y: float, anchor: str = "middle", extra: str = "") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {place} {extra}>{escape(text)}</text>" if extra else f"<text {place}>{escape(text)}</text>"


def _whole(title: str, parts: list[str], series: Sequence[Series], x_names: Sequence[str]) -> str:
    said = []
    for one in series:
        names = [x_names[int(x)].replace("\n", " ") if x_names else number(x) for x in one.x]
        said.append(f"{one.name}: " + ", ".join(f"{name} {y:.4g}" for name, y in zip(names, one.y, strict=True)))
    box = f'viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" width="{WIDTH:.0f}" height="{HEIGHT:.0f}"'
    style = f'font-family="system-ui,sans-serif" font-size="{SIZE:.0f}" fill="currentColor"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" {box} role="img" aria-label={quoteattr(title)}'
    about = f"<title>{escape(title)}</title>\n<desc>{escape('; '.join(said))}</desc>"
    return "\n".join([f"{head} {style}>", about, *parts, "</svg>"]) + "\n"
