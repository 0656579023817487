"""The elements of an XML file with their offsets, so that it can be edited without being written anew."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from graphmt.errors import InputError
from graphmt.localisation.fragments import BLANK
from graphmt.storage.xml import XML_NAMESPACE, XmlReader

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


def parsed(text: str, name: str, *, leaves: frozenset[str] = frozenset(), may_have_entities: bool = False) -> Element:
    """The root of an XML text; elements below those named in ``leaves`` are left out.

    Entities of the file's own are rejected, or else accepted if they are short text. They are not expanded in content.
    """
    declared = _DECLARED.match(text)
    if declared and declared[1].lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        raise InputError(f"its encoding is {declared[1]}.", file=name, hint="Convert it to UTF-8 first.")
    elements = _Elements(text, name, leaves, may_have_entities)
    elements.feed(elements.data, last=True)
    return elements.root[0]


class _Elements(XmlReader):
    def __init__(self, text: str, name: str, leaves: frozenset[str], may_have_entities: bool) -> None:
        # The text is given as UTF-8, whatever its declaration says.
        super().__init__(name, encoding="utf-8", may_have_doctype=True, expands=False, deepest=200)
        self._may_have_entities = may_have_entities
        self.data = text.encode("utf-8")
        self.root: list[Element] = []
        self._text, self._leaves = text, leaves
        self._offsets = _Offsets(text, self.data)
        self._open: list[Element] = []

    def _is_left_out(self) -> bool:
        """Whether the current element is below a leaf."""
        return len(self.above) > len(self._open) + 1 or (bool(self._open) and self._open[-1].name in self._leaves)

    def started(self, name: str, attributes: dict[str, str]) -> None:
        """Note the offset of an element."""
        if self._is_left_out():
            return
        at = self._offsets.character(self.byte)
        tag = _START.match(self._text, at)
        if tag is None:
            raise self.fail("a start tag that cannot be read.")
        parent = self._open[-1] if self._open else None
        plain = {key.replace(XML_NAMESPACE, "xml:"): value for key, value in attributes.items()}
        made = Element(name, plain, parent, at, self.line, tag.end(), tag.end(), tag.end())
        (self.root if parent is None else parent.children).append(made)
        self._open.append(made)

    def ended(self, name: str) -> None:
        """Note where an element ends."""
        if len(self.above) > len(self._open):
            return
        one = self._open.pop()
        if self._text[one.inner - 2] != "/":
            one.inner_end = self._offsets.character(self.byte)
            one.end = self._text.index(">", one.inner_end) + 1

    def declared(self, name: str, value: str | None) -> None:
        """Accept an entity that cannot become long, also where it is expanded: in the values of attributes."""
        if not self._may_have_entities or value is None or len(value) > _LONGEST_ENTITY or _REFERS.search(value):
            super().declared(name, value)


#: The most characters of an entity.
_LONGEST_ENTITY = 100
_REFERS = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)")
#: The start tag at a place where there is one.
_START = re.compile(r"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")


_NAME = re.compile(r"<[^\s/>]+")
_ATTRIBUTE = re.compile(r"""\s+([^\s=/>]+)\s*=\s*("[^"]*"|'[^']*')""")


def with_attribute(tag: str, name: str, value: str) -> str:
    """A start tag with an attribute set."""
    head = _NAME.match(tag)
    first = at = head.end() if head else 0
    while found := _ATTRIBUTE.match(tag, at):
        if found[1] == name:
            return f'{tag[: found.start(2)]}"{value}"{tag[found.end(2) :]}'
        at = found.end()
    return f'{tag[:first]} {name}="{value}"{tag[first:]}'


def space_before(text: str, at: int) -> str:
    """The white space before an element, for another one beside it; of much, the end."""
    before = text[max(0, at - 200) : at]
    return before[len(before.rstrip(BLANK)) :]


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
