"""Lexical selection in a report: the translation with and without it, and the translation graphs."""

from __future__ import annotations

from graphmt.draw.elements import Markup, element
from graphmt.evaluate.report.words import marked
from graphmt.explain import Explanation


def explained(name: str, one: Explanation) -> Markup:
    """A system's lexical selection for a sentence: both translations, and its graphs."""
    best, plain = (" ".join(made.tokens) for made in (one.translation, one.without))
    without = marked(plain, best) if plain != best else "(the same)"
    rows = [
        element("dt", "with"),
        element("dd", marked(best, plain)),
        element("dd", ""),
        element("dt", "without"),
        element("dd", without),
        element("dd", ""),
    ]
    pictures = [element("div", Markup(graph.svg), class_="picture") for graph in one.graphs]
    return element("figure", element("figcaption", name), element("dl", *rows), *pictures, class_="side")
