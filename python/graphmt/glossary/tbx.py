"""Terminology in TBX (ISO 30042): version 2 (``martif``) and version 3 (``tbx``, in the style DCA or DCT)."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from graphmt.errors import InputError
from graphmt.glossary.terms import Term
from graphmt.storage.files import AnyPath, reading

_ROOTS = ("martif", "tbx")
_ENTRIES = ("termEntry", "conceptEntry")
_SECTIONS = ("langSet", "langSec")
_XML_LANG = "http://www.w3.org/XML/1998/namespace lang"
#: The names of the status of a term: a type of ``termNote``, or an element of its own (DCT).
_STATUS = ("administrativeStatus", "normativeAuthorization")
#: Statuses of terms that must not be used, and of those that may be used beside a preferred one. In full they are
#: ``deprecatedTerm-admn-sts`` and so on.
_DEPRECATED = ("deprecated", "superseded", "forbidden", "obsolete")
_ADMITTED = ("admitted",)
_BLOCK, _DEEPEST = 1 << 16, 100


def is_tbx(path: AnyPath) -> bool:
    """Whether the name is that of a TBX file, also with ``.gz``."""
    return os.fspath(path).lower().removesuffix(".gz").endswith(".tbx")


def read_tbx(path: AnyPath, languages: tuple[str, str] | None = None) -> Iterator[Term]:
    """The terms of a TBX file; ``de`` also matches ``de-DE``.

    By default the source is the language of the file, and entries must have one other. A document type declaration may
    name an external file, which is not read, but entities are rejected.
    """
    entries = _Entries(path)
    found = False
    with reading(path) as stream:
        while True:
            block = stream.read(_BLOCK)
            entries.feed(block)
            for one in entries.taken():
                terms = list(_terms(one, languages or entries.languages(one), path))
                found = found or bool(terms)
                yield from terms
            if not block:
                break
    if not found:
        wanted = " and ".join(languages or ("the file's language", "one other"))
        seen = ", ".join(sorted(entries.seen)) or "none"
        raise InputError(
            f"no entry with terms in {wanted}; the languages of the file are: {seen}.",
            file=path,
            hint="Choose two of these (--glossary-languages SOURCE TARGET, in Python languages=…).",
        )


@dataclasses.dataclass
class _Written:
    """A term in one language."""

    language: str
    line: int
    text: str = ""
    status: str = ""


def _base(language: str) -> str:
    return language.lower().replace("_", "-").split("-")[0]


def _terms(entry: list[_Written], languages: tuple[str, str], path: AnyPath) -> Iterator[Term]:
    source, target = (
        [one for one in entry if one.text and _base(one.language) == _base(language)] for language in languages
    )
    for one in source:
        for other in target:
            yield Term(one.text, other.text, _usage(other.status.lower()), one.line)


def _usage(status: str) -> str:
    if status.startswith(_DEPRECATED):
        return "forbidden"
    return "preferred" if status.startswith(_ADMITTED) else "required"


class _Entries:
    """The handlers of the parser, with the entry that they are in."""

    def __init__(self, path: AnyPath) -> None:
        self.path = path
        #: The languages of the entries.
        self.seen: dict[str, None] = {}
        self._main = ""
        self._language = ""
        self._made: list[list[_Written]] = []
        self._entry: list[_Written] | None = None
        self._above: list[str] = []
        #: What the text that is being read belongs to, and its depth.
        self._field: tuple[str, int] | None = None
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        parser.EntityDeclHandler = self._entity
        self._parser = parser

    def feed(self, block: bytes) -> None:
        """Parse a block of the file; an empty one ends it."""
        try:
            self._parser.Parse(block, not block)
        except expat.ExpatError as error:
            message = f"not XML, or damaged: {expat.ErrorString(error.code)}."
            raise InputError(message, file=self.path, line=error.lineno, hint="Export the glossary again.") from None
        except (LookupError, ValueError) as error:
            hint = "Export it again as UTF-8."
            raise InputError(f"its XML cannot be read: {error}.", file=self.path, hint=hint) from None

    def taken(self) -> list[list[_Written]]:
        """The entries since the last call."""
        made, self._made = self._made, []
        return made

    def languages(self, entry: list[_Written]) -> tuple[str, str]:
        """The language of the file and the one other language of an entry."""
        own = _base(self._main)
        others = {_base(one.language): None for one in entry if _base(one.language) != own}
        if not own or len(others) > 1:
            seen = ", ".join(sorted(self.seen))
            raise InputError(
                f"it is not clear which languages are source and target: {seen}.",
                file=self.path,
                line=entry[0].line,
                hint="Say so: --glossary-languages SOURCE TARGET, in Python languages=….",
            )
        return own, next(iter(others), "")

    def _fail(self, message: str, hint: str | None = None) -> InputError:
        return InputError(message, file=self.path, line=self._parser.CurrentLineNumber, hint=hint)

    def _entity(self, *_: Any) -> None:
        raise self._fail("an entity declaration, which TBX does not need.", "Remove the <!ENTITY …>.")

    def _start(self, full: str, attributes: dict[str, str]) -> None:
        name = full.rpartition(" ")[2]
        language = attributes.get(_XML_LANG, attributes.get("lang", ""))
        if not self._above:
            if name not in _ROOTS:
                raise self._fail(f"the first element is <{name}>, <tbx> or <martif> was expected.")
            self._main = language
        self._above.append(name)
        if len(self._above) > _DEEPEST:
            raise self._fail(f"elements are nested more than {_DEEPEST} deep.")
        if name in _ENTRIES:
            self._entry = []
        elif name in _SECTIONS:
            self._language = language
        elif self._entry is not None and self._field is None:
            kind = attributes.get("type", name) if name == "termNote" else name
            if name == "term":
                self.seen[self._language] = None
                self._entry.append(_Written(self._language, self._parser.CurrentLineNumber))
                self._field = ("term", len(self._above))
            elif kind in _STATUS and self._entry:
                self._entry[-1].status = ""
                self._field = ("status", len(self._above))

    def _data(self, text: str) -> None:
        if self._field is None or not self._entry:
            return
        if self._field[0] == "term":
            self._entry[-1].text += text
        else:
            self._entry[-1].status += text

    def _end(self, full: str) -> None:
        if self._field is not None and len(self._above) == self._field[1]:
            self._field = None
        self._above.pop()
        if full.rpartition(" ")[2] in _ENTRIES and self._entry is not None:
            for one in self._entry:
                one.text, one.status = " ".join(one.text.split()), one.status.strip()
            if self._entry:
                self._made.append(self._entry)
            self._entry = None
