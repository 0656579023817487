"""HTML: the text of blocks is translated, with the inline tags in it."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from graphmt import _core
from graphmt.corpus.languages import Languages
from graphmt.localisation.document import Document, Edit, LineNumbers, Unit, decoded
from graphmt.localisation.languages import either

_PIECE = re.compile(
    # Code that a server runs: PHP, and the templates of Ruby, Java and ASP.
    r"""(?P<code><\?(?:php\b|=).*?(?:\?>|\Z)|<%.*?(?:%>|\Z))|"""
    r"""<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[!?][^>]*(?:>|\Z)"""
    r"""|<(?P<raw>script|style|pre|code|textarea|svg|math|template|noscript)\b(?:[^"'<>]|"[^"]*"|'[^']*')*>.*?"""
    # A name is as long as it can be: with shorter ones, an open tag would take time quadratic in its length.
    r"""(?:</(?P=raw)\s*>|\Z)|</?(?P<name>[A-Za-z][\w:-]*)(?![\w:-])(?P<rest>(?:[^"'<>]|"[^"]*"|'[^']*')*)>""",
    re.DOTALL | re.IGNORECASE,
)
#: Elements inside a sentence; all others separate sentences.
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "data", "del", "dfn", "em", "font", "i", "img"),
        *("ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time"),
        *("tt", "u", "var", "wbr"),
    )
)
_UNTRANSLATED = re.compile(r"""\stranslate\s*=\s*["']?no|\sclass\s*=\s*["'][^"']*\bnotranslate\b""", re.IGNORECASE)
_LANGUAGE = re.compile(r"""\s(?:xml:)?lang\s*=\s*["']?([A-Za-z0-9_-]+)""", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
#: The part of a tag's name that could be our own.
_OWN_NAME = re.compile("<(x*)")
#: Entities with a meaning of their own, which stay as they are.
_KEPT = frozenset(("&lt;", "&gt;", "&amp;", "&quot;", "&nbsp;", "&shy;", "&ensp;", "&emsp;", "&thinsp;"))


def read(data: bytes, name: str, languages: Languages) -> Document:
    """The texts of an HTML file, block by block."""
    text, encoding, mark = decoded(data, name)
    units: list[Unit] = []
    start = at = 0
    #: The element with translate="no" that is open, and how deeply it is nested in elements of its name.
    closed, depth = "", 0
    language: re.Match[str] | None = None
    lines = LineNumbers(text)

    def finish(end: int) -> None:
        if text[start:end].strip():
            units.extend(_unit(text, start, end, lines))

    for piece in _PIECE.finditer(text):
        _core.point()
        element = (piece["name"] or "").lower()
        at = piece.end()
        is_end = piece[0].startswith("</")
        if element == "html" and not is_end:
            language = _LANGUAGE.search(piece["rest"])
        if closed:
            if element == closed and not piece[0].endswith("/>"):
                depth += -1 if is_end else 1
            if depth == 0:
                closed, start = "", at
        elif element and not is_end and _UNTRANSLATED.search(piece["rest"]):
            finish(piece.start())
            if not piece[0].endswith("/>"):
                closed, depth = element, 1
            start = at
        elif element not in _INLINE and not piece["code"] and (piece["raw"] or "").lower() != "code":
            finish(piece.start())
            start = at
    if not closed:
        finish(len(text))
    stated = either(language[1], languages) if language else ()
    return Document(name, text, encoding, tuple(units), 0, mark, stated=stated)


def _unit(text: str, start: int, end: int, lines: LineNumbers) -> list[Unit]:
    raw = text[start:end]
    start += len(raw) - len(raw.lstrip())
    end -= len(raw) - len(raw.rstrip())
    hidden: list[str] = []
    # A name that no tag of the text starts with.
    name = "x" + max(_OWN_NAME.findall(text, start, end), default="")

    def hide(piece: re.Match[str]) -> str:
        """A tag for code, and for a whole element whose content is not translated; other pieces as they are."""
        if piece["raw"] is None and piece["code"] is None:
            return piece[0]
        hidden.append(piece[0])
        return f"<{name}{len(hidden) - 1}/>"

    # Line ends of the file mean nothing here.
    source = " ".join(_ENTITY.sub(_decoded, _PIECE.sub(hide, text[start:end])).split())
    if not re.search(r"[^\W\d_]", _PIECE.sub("", source)):
        return []

    def fill(translations: Sequence[str]) -> list[Edit]:
        restored = re.sub(rf"<{name}([0-9]+)/>", lambda found: hidden[int(found[1])], translations[0])
        return [Edit(start, end, restored)]

    return [Unit((source,), fill, lines.at(start))]


def _decoded(entity: re.Match[str]) -> str:
    character = html.unescape(entity[0])
    plain = entity[0] not in _KEPT and character.isprintable() and character not in "<>&\"'"
    return character if plain else entity[0]
