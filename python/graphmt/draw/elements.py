"""Elements of HTML: whatever is not markup already is escaped."""

from __future__ import annotations

import html

from graphmt.draw.markup import visible


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Any value as HTML; markup is not escaped again."""
    return value if isinstance(value, Markup) else Markup(html.escape(visible(str(value))))


def element(name: str, *content: object, **attributes: object) -> Markup:
    """An element; ``class_`` and the like lose their underscore, attributes that are none are left out."""
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    inside = "".join(f' {key}="{html.escape(visible(str(value)))}"' for key, value in given.items())
    return Markup(f"<{name}{inside}>{''.join(text(part) for part in content)}</{name}>")


def joined(parts: list[Markup]) -> Markup:
    """Elements one after the other."""
    return Markup("".join(parts))
