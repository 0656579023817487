"""The elements of an XML file with their offsets, so that it can be edited without being written anew."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from graphmt.errors import InputError

#: Maximum nesting depth; real files have about a dozen levels.
_DEEPEST = 200
_XML = "http://www.w3.org/XML/1998/namespace "
_DECLARED = re.compile(r"""<\?xml[^>]*?encoding\s*=\s*["']([^"']+)""")


@dataclasses.dataclass
class Element:
    """An element with the character offsets of its start tag, its content and its end."""

    name: str
    attributes: dict[str, str]
    parent: Element | None
    start: int
    line: int
    #: The content: from the end of the start tag to the start of the end tag.
    inner: int = 0
    inner_end: int = 0
    end: int = 0
    children: list[Element] = dataclasses.field(default_factory=list)

    def child(self, name: str) -> Element | None:
        """The first child with a name."""
        return next((one for one in self.children if one.name == name), None)

    def walk(self) -> Iterator[Element]:
        """The element and all below it, in order."""
        waiting = [self]
        while waiting:
            one = waiting.pop()
            yield one
            waiting += reversed(one.children)

    def inherited(self, name: str) -> str:
        """An attribute of the element or of the nearest above it that has it."""
        one: Element | None = self
        while one is not None:
            if name in one.attributes:
                return one.attributes[name]
            one = one.parent
        return ""


def parsed(text: str, name: str, *, leaves: frozenset[str] = frozenset()) -> Element:
    """The root of an XML text; elements below those named in ``leaves`` are left out.

    Document types and entities of the file's own are rejected.
    """
    declared = _DECLARED.match(text)
    if declared and declared[1].lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        raise InputError(f"its encoding is {declared[1]}.", file=name, hint="Convert it to UTF-8 first.")
    data = text.encode("utf-8")
    # The text is given as UTF-8, whatever its declaration says.
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    offsets = _Offsets(text, data)
    root: list[Element] = []
    above: list[Element] = []
    inside = 0

    def fail(message: str, hint: str | None = None) -> InputError:
        return InputError(message, file=name, line=parser.CurrentLineNumber, hint=hint)

    def doctype(*_: Any) -> None:
        raise fail("a document type declaration, which can define entities.", "Remove the <!DOCTYPE …>.")

    def start(full: str, attributes: dict[str, str]) -> None:
        nonlocal inside
        if len(above) + inside > _DEEPEST:
            raise fail(f"elements are nested more than {_DEEPEST} deep.")
        if inside or (above and above[-1].name in leaves):
            inside += 1
            return
        at = offsets.character(parser.CurrentByteIndex)
        tag = _START.match(text, at)
        if tag is None:
            raise fail("a start tag that cannot be read.")
        parent = above[-1] if above else None
        plain = {
            key.replace("http://www.w3.org/XML/1998/namespace ", "xml:"): value for key, value in attributes.items()
        }
        made = Element(
            full.rpartition(" ")[2], plain, parent, at, parser.CurrentLineNumber, tag.end(), tag.end(), tag.end()
        )
        if parent is None:
            root.append(made)
        else:
            parent.children.append(made)
        above.append(made)

    def end(_: str) -> None:
        nonlocal inside
        if inside:
            inside -= 1
            return
        one = above.pop()
        if text[one.inner - 2] != "/":
            one.inner_end = offsets.character(parser.CurrentByteIndex)
            one.end = text.index(">", one.inner_end) + 1

    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        message = f"not XML, or damaged: {expat.ErrorString(error.code)}."
        raise InputError(message, file=name, line=error.lineno, hint="Export the file again.") from None
    return root[0]


_START = re.compile(r"""<[^\s/>]+(?:[^"'>]|"[^"]*"|'[^']*')*>""")


def with_attribute(tag: str, name: str, value: str) -> str:
    """A start tag with an attribute set."""
    pattern = re.compile(rf"""(\s{re.escape(name)}\s*=\s*)(?:"[^"]*"|'[^']*')""")
    if pattern.search(tag):
        return pattern.sub(lambda found: f'{found[1]}"{value}"', tag, count=1)
    head = re.match(r"<[^\s/>]+", tag)
    at = head.end() if head else 0
    return f'{tag[:at]} {name}="{value}"{tag[at:]}'


class _Offsets:
    """Character offsets from byte offsets, which only grow."""

    def __init__(self, text: str, data: bytes) -> None:
        self._data, self._plain = data, len(text) == len(data)
        self._byte = self._character = 0

    def character(self, byte: int) -> int:
        if self._plain:
            return byte
        self._character += len(self._data[self._byte : byte].decode("utf-8"))
        self._byte = byte
        return self._character
