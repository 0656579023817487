"""Derivations as a report shows them: a picture, and the steps in words."""

from __future__ import annotations

from graphmt.draw import PALETTE
from graphmt.evaluate.report.page import Markup, element
from graphmt.model import Derivation


def drawn(name: str, derivation: Derivation) -> Markup:
    """A system's derivation: the picture above its steps."""
    if not derivation.source:
        return element("figure", element("figcaption", name), "no words", class_="side")
    shown = element("div", Markup(derivation.picture().svg), class_="picture")
    return element("figure", element("figcaption", name), shown, _steps(derivation), class_="side")


def _steps(derivation: Derivation) -> Markup:
    rows = []
    for k, step in enumerate(derivation.steps):
        fill, line = PALETTE[k % len(PALETTE)]
        words = " ".join(
            ("… " if i and p > step.positions[i - 1] + 1 else "") + derivation.source[p]
            for i, p in enumerate(step.positions)
        )
        context = ""
        if step.context:
            context = f", before what links to {', '.join(derivation.source[p] for p in step.context)}"
        said = "copied, an unknown word" if step.kind == "copy" else f"{step.kind}{context}, seen {step.count:g}×"
        chip = element("span", words, class_="chip", style=f"background:{fill};border-color:{line};color:#1f2933")
        target = " ".join(step.target) or "(nothing)"
        rows.append(element("li", chip, element("span", f"→ {target}"), element("span", said, class_="kind")))
    return element("ol", *rows, class_="steps")
