"""HTML elements: text is escaped on input, and a page is self-contained."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from importlib import resources

from graphmt.draw.elements import Markup, element
from graphmt.draw.markup import visible
from graphmt.storage.files import AnyPath, writing


def table(
    head: Sequence[object], rows: Iterable[Sequence[object]], *, caption: object = "", texts: Iterable[int] = ()
) -> Markup:
    """A table whose first column heads its rows; ``texts`` are columns of text, not figures."""
    left = set(texts)

    def cell(name: str, k: int, value: object, scope: str | None = None) -> Markup:
        return element(name, value, class_="text" if k in left else None, scope=scope)

    top = element("tr", *(cell("th", k, value, "col") for k, value in enumerate(head)))
    body = [
        element("tr", cell("th", 0, row[0], "row"), *(cell("td", k, value) for k, value in enumerate(row[1:], 1)))
        for row in rows
    ]
    parts = [element("thead", top), Markup("\n"), element("tbody", *body)]
    if caption:
        parts.insert(0, element("caption", caption))
    return element("div", element("table", *parts), class_="wide")


def section(title: str, *content: object) -> Markup:
    """A part of the page with a heading that can be linked to."""
    return element("section", element("h2", title), *content, id=anchor(title))


def anchor(title: str) -> str:
    """The anchor of a section."""
    return "-".join(title.lower().split())


def write_page(path: AnyPath, title: str, lead: object, sections: Sequence[tuple[str, Markup]], foot: object) -> None:
    """Write the page whole or not at all; ``sections`` are titles and contents."""
    style = resources.files(__package__).joinpath("page.css").read_text("utf-8")
    links = (element("li", element("a", name, href=f"#{anchor(name)}")) for name, _ in sections)
    body = [
        element("header", element("h1", title), lead, element("nav", element("ul", *links), aria_label="Contents")),
        element("main", *(section(name, content) for name, content in sections)),
        element("footer", foot),
    ]
    with writing(path) as stream:
        stream.write('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n')
        stream.write('<meta name="viewport" content="width=device-width, initial-scale=1"/>\n')
        stream.write(f"<title>{html.escape(visible(title))}</title>\n<style>\n{style}</style>\n</head>\n<body>\n")
        stream.write("\n".join(body))
        stream.write("\n</body>\n</html>\n")
