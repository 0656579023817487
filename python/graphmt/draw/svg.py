"""Pictures in SVG: self-contained, for a light background, with descriptions for screen readers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphmt.draw.layout import MARGIN, SMALL_SIZE, WORD_SIZE, Layout, lay_out
from graphmt.draw.levels import levels
from graphmt.draw.markup import escape, quoteattr
from graphmt.draw.measure import ems
from graphmt.draw.scene import Arc, Scene

LEVEL, ROUND = 26.0, 12.0
#: From the ends of the arcs to the middle of the words; from there to the tags; between the two rows.
DROP, TAG_DROP, ROWS = 20.0, 24.0, 96.0
#: From below a word or its tag to the end of its group's label.
LABEL_DROP = 13.0
DOTS = 'stroke-dasharray="1.5 3" stroke-linecap="round"'
FONTS = "'Noto Sans','Noto Sans CJK SC','PingFang SC','Microsoft YaHei','Hiragino Sans',Arial,sans-serif"
INK, ARC, GREY = "#1f2328", "#52606d", "#7b8794"


def render(scene: Scene) -> str:
    """The picture as one ``<svg>`` element."""
    place = lay_out(scene)
    heights = levels(scene.arcs)
    top = max(heights.values(), default=0) + 1
    base = MARGIN + top * LEVEL
    words = base + DROP
    label = LABEL_DROP if scene.groups else 0.0
    bottom = words + (TAG_DROP if scene.upos else 6.0) + 6.0 + label
    second = bottom + ROWS
    height = (second + 18.0 + label if scene.target else bottom) + MARGIN / 2
    parts = [
        *_boxes(scene, _source_row(scene, place, words)),
        *_boxes(scene, _target_row(scene, place, second)),
        *_bigrams(scene, place, words),
        *_alignment(scene, place, bottom - 2.0, second - 15.0 - (4.0 if label else 0.0)),
        *(_arc(scene, arc, level, place, base) for arc, level in heights.items()),
        *(_root(place.roots[i], base, scene.deprels[i] if scene.deprels else "") for i in scene.roots),
        *(_label(arc, level, place, base) for arc, level in heights.items() if arc.label),
        *_words(scene, place, words),
        *(text_at(word, x, second, WORD_SIZE) for word, x in zip(scene.target, place.target, strict=True)),
    ]
    title = scene.title or " ".join(scene.words)
    return whole(title, scene.description or _in_words(scene), place.width, height, parts)


def whole(title: str, description: str, width: float, height: float, parts: list[str]) -> str:
    """The ``<svg>`` element around the parts of a picture."""
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(title)}'
    style = f'font-family="{FONTS}" text-anchor="middle" fill="{INK}"'
    rows = [
        f"{head} {style}>",
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description)}</desc>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(rows) + "\n"


def _in_words(scene: Scene) -> str:
    """A description of the tree, for screen readers."""
    said = []
    for i, head in enumerate(scene.heads):
        relation = f" ({scene.deprels[i]})" if scene.deprels and head >= 0 else ""
        said.append(f"{scene.words[i]}: {f'below {scene.words[head]}' if head >= 0 else 'root'}{relation}")
    translation = f". Translation: {' '.join(scene.target)}" if scene.target else ""
    return "; ".join(said) + translation


def text_at(text: str, x: float, y: float, size: float, colour: str = "") -> str:
    """Text around a middle, on a base line."""
    fill = f' fill="{colour}"' if colour else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.0f}"{fill}>{escape(text)}</text>'


def _arc(scene: Scene, arc: Arc, level: int, place: Layout, base: float) -> str:
    start, end = place.ports[arc, arc.head], place.ports[arc, arc.dependent]
    up = base - level * LEVEL
    bend = min(ROUND, abs(end - start) / 2)
    turn = bend if end > start else -bend
    path = (
        f"M{start:.1f} {base:.1f} V{up + bend:.1f} Q{start:.1f} {up:.1f} {start + turn:.1f} {up:.1f}"
        f" H{end - turn:.1f} Q{end:.1f} {up:.1f} {end:.1f} {up + bend:.1f} V{base - 5:.1f}"
    )
    colour = _context_colour(scene, arc.left, arc.right)
    style = f'stroke="{colour}" stroke-width="3"' if colour else f'stroke="{ARC}" stroke-width="1.4"'
    line = f'<path class="arc{" context" if colour else ""}" d="{path}" fill="none" {style}/>'
    return line + _arrow(end, base, colour or ARC)


def _context_colour(scene: Scene, one: int, other: int) -> str:
    """The colour of a link that a rule needs for its context; empty for other links."""
    for pair in ((one, other), (other, one)):
        group = scene.group_of(pair[0])
        if pair in scene.contexts and group is not None:
            return scene.shade(group).line
    return ""


def _arrow(x: float, y: float, colour: str = ARC) -> str:
    return f'<path d="M{x:.1f} {y:.1f} l-3.6 -7.5 h7.2 z" fill="{colour}"/>'


def _root(x: float, base: float, label: str) -> str:
    path = f"M{x:.1f} {MARGIN + 4:.1f} V{base - 5:.1f}"
    line = f'<path class="root" d="{path}" stroke="{ARC}" stroke-width="1.4"/>'
    return line + _arrow(x, base) + (_on_line(label, x, MARGIN + 4) if label else "")


def _label(arc: Arc, level: int, place: Layout, base: float) -> str:
    middle = (place.ports[arc, arc.left] + place.ports[arc, arc.right]) / 2
    return _on_line(arc.label, middle, base - level * LEVEL)


def _on_line(text: str, x: float, y: float) -> str:
    """A label that interrupts its line."""
    width = ems(text) * SMALL_SIZE + 4
    box = f'<rect x="{x - width / 2:.1f}" y="{y - 7:.1f}" width="{width:.1f}" height="14" fill="#ffffff"/>'
    return box + text_at(text, x, y + 4, SMALL_SIZE, ARC)


def _words(scene: Scene, place: Layout, y: float) -> list[str]:
    rows = []
    for i, (word, x) in enumerate(zip(scene.words, place.source, strict=True)):
        rows.append(text_at(word, x, y, WORD_SIZE))
        if scene.upos:
            rows.append(text_at(scene.upos[i], x, y + TAG_DROP - 6, SMALL_SIZE, ARC))
    return rows


@dataclass(frozen=True)
class _Row:
    """A row of words with its groups; ``below`` is from the base line to the labels."""

    groups: Sequence[int | None]
    middles: Sequence[float]
    widths: Sequence[float]
    base: float
    below: float

    def stretches(self) -> Iterator[tuple[int, float, float]]:
        """The groups of neighbouring words, with their left and right ends."""
        for group, members in itertools.groupby(range(len(self.groups)), lambda i: self.groups[i]):
            if group is not None:
                stretch = list(members)
                left = self.middles[stretch[0]] - self.widths[stretch[0]] / 2 - 5
                yield group, left, self.middles[stretch[-1]] + self.widths[stretch[-1]] / 2 + 5


def _source_row(scene: Scene, place: Layout, base: float) -> _Row:
    groups = [scene.group_of(i) for i in range(len(scene.words))]
    return _Row(groups, place.source, place.widths, base, TAG_DROP if scene.upos else 8.0)


def _target_row(scene: Scene, place: Layout, base: float) -> _Row:
    groups = [scene.group_of_target(j) for j in range(len(scene.target))]
    return _Row(groups, place.target, place.target_widths, base, 8.0)


def _boxes(scene: Scene, row: _Row) -> Iterator[str]:
    """A coloured box behind each stretch of neighbours that are in the same group, with the group's label."""
    for k, left, right in row.stretches():
        label = scene.label(k)
        yield (
            f'<rect class="group" data-group={quoteattr(label)} x="{left:.1f}" y="{row.base - 17:.1f}" rx="6"'
            f' width="{right - left:.1f}" height="{17 + row.below + LABEL_DROP:.1f}" {scene.shade(k).border}'
            ' stroke-width="1"/>'
        )
        yield text_at(label, (left + right) / 2, row.base + row.below + LABEL_DROP - 4, SMALL_SIZE)


def _bigrams(scene: Scene, place: Layout, y: float) -> list[str]:
    """Dotted lines between the words, strong ones for contexts; links over a distance hang below them."""
    rows = []
    arcs = {(arc.left, arc.right) for arc in scene.arcs}
    contexts = {(min(pair), max(pair)) for pair in scene.contexts} - arcs
    for left, right in sorted({(min(pair), max(pair)) for pair in scene.pairs} | contexts):
        colour = _context_colour(scene, left, right) if (left, right) in contexts else ""
        if right - left == 1:
            start = place.source[left] + ems(scene.words[left]) * WORD_SIZE / 2 + 2
            end = place.source[right] - ems(scene.words[right]) * WORD_SIZE / 2 - 2
            path = f"M{start:.1f} {y - 5:.1f} H{end:.1f}"
        else:
            start, end = place.source[left], place.source[right]
            path = f"M{start:.1f} {y + 6:.1f} Q{(start + end) / 2:.1f} {y + 20:.1f} {end:.1f} {y + 6:.1f}"
        kind = "bigram context" if colour else "bigram"
        style = f'stroke="{colour}" stroke-width="3"' if colour else f'stroke="{GREY}" stroke-width="1.6" {DOTS}'
        rows.append(f'<path class="{kind}" d="{path}" fill="none" {style}/>')
    return rows


def _alignment(scene: Scene, place: Layout, top: float, bottom: float) -> list[str]:
    rows = []
    for links, dash in ((scene.alignment, ""), (scene.possible, ' stroke-dasharray="3 3"')):
        for i, j in links:
            k = scene.group_of(i)
            colour = scene.shade(k).line if k is not None else GREY
            rows.append(link(place.source[i], top, place.target[j], bottom, colour, dash))
    return rows


def link(
    start: float, top: float, end: float, bottom: float, colour: str, more: str = "", *, bend: float = 34.0
) -> str:
    """A bent line from a word down to one of the other row."""
    bent = f"C{start:.1f} {top + bend:.1f} {end:.1f} {bottom - bend:.1f}"
    path = f"M{start:.1f} {top:.1f} {bent} {end:.1f} {bottom:.1f}"
    return f'<path class="link" d="{path}" fill="none" stroke="{colour}" stroke-width="1.3"{more}/>'
