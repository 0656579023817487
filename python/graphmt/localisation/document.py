"""A localisation file: the texts to translate, and edits that fill them in and leave everything else unchanged."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from graphmt import _core
from graphmt.corpus.languages import StatedLanguages
from graphmt.errors import InputError


class Edit(NamedTuple):
    """A replacement in the decoded text of a file, by its character offsets.

    Examples
    --------
    >>> from graphmt.localisation import Edit
    >>> Edit(0, 4, "Datei")
    Edit(start=0, end=4, text='Datei')
    """

    start: int
    end: int
    text: str


@dataclasses.dataclass(frozen=True)
class Unit:
    """Texts that are translated and filled in together: one, or the singular and the plural of a message.

    Examples
    --------
    >>> from graphmt.localisation import read_document
    >>> unit = read_document("todo.po", ("en", "de")).units[0]
    >>> unit.sources, unit.line
    (('Open File',), 8)
    >>> [edit.text for edit in unit.fill(["Datei öffnen"])]
    ['#, fuzzy\\n', 'msgstr "Datei öffnen"']
    """

    sources: tuple[str, ...]
    #: The edits for the translations of ``sources``.
    fill: Callable[[Sequence[str]], list[Edit]]
    line: int


@dataclasses.dataclass(frozen=True)
class Document:
    """A file with untranslated units.

    Examples
    --------
    >>> from graphmt.localisation import read_document
    >>> document = read_document("todo.po", ("en", "de"))
    >>> document
    Document('todo.po', 5 units to translate, 2 others)
    >>> b'msgstr "Datei' in document.filled([["Datei"], None, None, None, None])
    True
    """

    name: str
    text: str
    encoding: str
    units: tuple[Unit, ...]
    #: Units that are left as they are.
    others: int = 0
    #: Bytes before the text, such as a byte order mark.
    prefix: bytes = b""
    #: Edits that do not depend on translations, made if anything is filled in.
    more: tuple[Edit, ...] = ()
    #: What it says of its languages; several files inside may each say something.
    stated: tuple[StatedLanguages, ...] = ()

    def __repr__(self) -> str:
        return f"Document({self.name!r}, {len(self.units)} units to translate, {self.others} others)"

    def filled(self, translations: Sequence[Sequence[str] | None]) -> bytes:
        """The file with the units' translations; None leaves a unit as it is."""
        edits: list[Edit] = []
        for unit, given in zip(self.units, translations, strict=True):
            _core.point()
            if given is not None:
                edits += unit.fill(given)
        text = edited(self.text, [*self.more, *edits] if edits else [])
        try:
            return self.prefix + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise InputError(
                f"a translation has {error.object[error.start]!r}, which is not in its character set {self.encoding}.",
                file=self.name,
                hint="Convert the file to UTF-8 first.",
            ) from None


class LineNumbers:
    """The lines of offsets that only grow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset, self._line = 0, 1

    def at(self, offset: int) -> int:
        """The line of an offset, counted from the previous one."""
        self._line += self._text.count("\n", self._offset, offset)
        self._offset = offset
        return self._line


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits, which do not overlap."""
    parts, done = [], 0
    for start, end, new in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += [text[done:start], new]
        done = end
    return "".join([*parts, text[done:]])


def decoded(data: bytes, name: str, *, utf16: bool = False) -> tuple[str, str, bytes]:
    """The text of a file, its encoding and its byte order mark; UTF-8, or UTF-16 with a mark if ``utf16``."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark) and (utf16 or encoding == "utf-8"):
            break
    else:
        mark, encoding = b"", "utf-8"
    try:
        return data[len(mark) :].decode(encoding), encoding, mark
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = "Convert it, for example with iconv -t utf-8."
        raise InputError(f"not {encoding.upper()}.", file=name, line=line, hint=hint) from None
