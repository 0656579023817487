"""Derivations in a report: a picture, and the steps in words."""

from __future__ import annotations

from graphmt.draw.elements import Markup, element
from graphmt.draw.palette import Shade, shade
from graphmt.model import Derivation, Step

#: Steps that combine others and were not seen in training.
_JOINS = {
    "glue": "glue, one after the other",
    "straight": "straight, in the same order",
    "inverted": "inverted, in the other order",
    "pseudo": "pseudo, in the same order",
}


def drawn(name: str, derivation: Derivation) -> Markup:
    """A system's derivation: the picture above its steps."""
    if not derivation.source:
        return element("figure", element("figcaption", name), "no words", class_="side")
    shown = element("div", Markup(derivation.picture().svg), class_="picture")
    steps = _nested(derivation) if derivation.is_tree else _steps(derivation)
    return element("figure", element("figcaption", name), shown, steps, class_="side")


def _steps(derivation: Derivation) -> Markup:
    rows = []
    for k, step in enumerate(derivation.steps):
        words = " ".join(
            ("… " if i and p > step.positions[i - 1] + 1 else "") + derivation.source[p]
            for i, p in enumerate(step.positions)
        )
        said = _said(derivation, step)
        rows.append(element("li", *_line(words, " ".join(step.target), said, shade(k))))
    return element("ol", *rows, class_="steps")


def _nested(derivation: Derivation) -> Markup:
    """The rules of a tree, each with those in its holes below it; numbers and colours are the picture's."""
    tree = derivation.tree
    rows: list[Markup] = [Markup()] * len(derivation.steps)
    # Children follow their parents, so iterating backwards visits them first.
    for k in reversed(range(len(rows))):
        step = derivation.steps[k]
        source, target = tree.written(k)
        line = _line(source, target, _said(derivation, step), tree.shade(k))
        below = [element("ol", *(rows[child] for child in tree.holes(k)))] if step.children else []
        rows[k] = element("li", element("div", element("span", tree.label(k), class_="number"), *line), *below)
    tops = [row for row, depth in zip(rows, tree.depths, strict=True) if depth == 0]
    return element("ol", *tops, class_="steps nested")


def _line(source: str, target: str, said: str, colours: Shade) -> list[Markup]:
    style = "dashed" if colours.dashes else "solid"
    border = f"background:{colours.fill};border-color:{colours.line};border-style:{style};color:#1f2933"
    chip = element("span", source, class_="chip", style=border)
    return [chip, element("span", f"→ {target or '(nothing)'}"), element("span", said, class_="kind")]


def _said(derivation: Derivation, step: Step) -> str:
    if step.kind == "copy":
        return "copied, an unknown word"
    if step.kind == "term":
        return "a term of the glossary or the input"
    if step.kind in _JOINS:
        return _JOINS[step.kind]
    context = ""
    if step.context:
        context = f", before what links to {', '.join(derivation.source[p] for p in step.context)}"
    return f"{step.kind}{context}, seen {step.count:g}×"
