"""The content of an XML element in pieces, as the XML parser finds them, each with the characters of the file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple
from xml.parsers import expat

from graphmt.errors import InputError

#: With a document type elsewhere, unknown entities are no error, but pieces of their own.
_BEFORE, _AFTER = b'<!DOCTYPE x SYSTEM "x"><x>', b"</x>"


#: White space of XML.
BLANK = " \t\r\n"


class Piece(NamedTuple):
    """A piece of content.

    Its kind is ``text``, ``cdata`` (text of a CDATA section, without its marks), ``start``, ``end``, ``empty`` (of an
    element), ``note`` (a comment or a processing instruction) or ``entity``.
    """

    kind: str
    #: The characters in the file.
    raw: str
    #: The text, or the name of the element.
    value: str = ""
    attributes: Mapping[str, str] = MappingProxyType({})


def pieces_of(raw: str) -> list[Piece]:
    """The pieces of the content of an element; entities are not expanded, and namespaces need no declaration."""
    data = _BEFORE + raw.encode("utf-8") + _AFTER
    events = _events(data)
    found: list[Piece] = []
    kind_of_text = "text"
    # The first event and the last one are those of the element around the content.
    for (start, kind, value, attributes), (end, *_) in pairwise(events[1:]):
        written = data[start:end].decode("utf-8")
        if kind in ("text", "cdata"):
            kind_of_text = kind
        elif kind == "character":
            # Parsers change line ends; they stay as they are in the file.
            found.append(Piece(kind_of_text, written, value if written.startswith("&") else written))
        elif kind == "start" and written.endswith("/>"):
            found.append(Piece("empty", written, value, attributes))
        elif written:
            # The end of an empty element has no characters of its own.
            found.append(Piece(kind, written, value, attributes))
    return found


def _events(data: bytes) -> list[tuple[int, str, str, Mapping[str, str]]]:
    """What the parser finds, without a gap: the offset of each, its kind, and its text or name with attributes."""
    found: list[tuple[int, str, str, Mapping[str, str]]] = []
    parser = expat.ParserCreate("utf-8")

    def note(kind: str, value: str = "", attributes: Mapping[str, str] = MappingProxyType({})) -> None:
        found.append((parser.CurrentByteIndex, kind, value, attributes))

    handlers: dict[str, Any] = {
        "StartElementHandler": lambda name, attributes: note("start", name, attributes),
        "EndElementHandler": lambda name: note("end", name),
        "CharacterDataHandler": lambda text: note("character", text),
        "StartCdataSectionHandler": lambda: note("cdata"),
        "EndCdataSectionHandler": lambda: note("text"),
        "CommentHandler": lambda _: note("note"),
        "ProcessingInstructionHandler": lambda *_: note("note"),
        "SkippedEntityHandler": lambda *_: note("entity"),
    }
    for name, handler in handlers.items():
        setattr(parser, name, handler)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(f"markup that is not XML: {expat.ErrorString(error.code)}.") from None
    return found
