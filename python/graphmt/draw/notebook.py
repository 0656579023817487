"""Tables as notebooks show them, which have styles of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from graphmt.draw.elements import Markup, element, joined
from graphmt.reprs import counted

#: Rows of a list that are shown.
MOST = 100

_LEFT = "text-align: left"


def table(
    head: Sequence[object], rows: Iterable[Sequence[object]], *, texts: Collection[int] = (), caption: object = ""
) -> Markup:
    """A table; ``texts`` are the columns of text, which begin at the left."""

    def row(name: str, cells: Sequence[object]) -> Markup:
        return element("tr", *(element(name, one, style=_LEFT if k in texts else None) for k, one in enumerate(cells)))

    top = [element("thead", row("th", head))] if head else []
    title = [element("caption", caption, style=f"{_LEFT}; white-space: nowrap")] if caption else []
    return element("table", *title, *top, element("tbody", *(row("td", cells) for cells in rows)))


def long_table(head: Sequence[object], rows: Sequence[Sequence[object]], *, texts: Collection[int] = ()) -> Markup:
    """A table of which the first rows are shown."""
    shown = table(head, rows[:MOST], texts=texts)
    left = len(rows) - MOST
    return joined([shown, element("p", f"… {counted(left, 'more row')}")]) if left > 0 else shown


def card(title: object, facts: Iterable[tuple[str, object]]) -> Markup:
    """A title and named facts; those that are empty are left out."""
    rows = [(element("b", name), value) for name, value in facts if value not in ("", None)]
    return joined([element("p", element("b", title)), table((), rows, texts=(0, 1))])
