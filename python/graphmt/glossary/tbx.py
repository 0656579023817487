"""Terminology in TBX (ISO 30042): version 2 (``martif``) and version 3 (``tbx``, in the style DCA or DCT)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from graphmt.corpus.languages import base_language
from graphmt.errors import InputError
from graphmt.glossary.terms import Term
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, reading
from graphmt.storage.xml import XML_NAMESPACE, XmlReader

_ROOTS = ("martif", "tbx")
_ENTRIES = ("termEntry", "conceptEntry")
_SECTIONS = ("langSet", "langSec")
#: The names of the status of a term: a type of ``termNote``, or an element of its own (DCT).
_STATUS = ("administrativeStatus", "normativeAuthorization")
#: Statuses of terms that must not be used, and of those that may be used beside a preferred one. In full they are
#: ``deprecatedTerm-admn-sts`` and so on.
_DEPRECATED = ("deprecated", "superseded", "forbidden", "obsolete")
_ADMITTED = ("admitted",)
#: Bytes parsed at a time.
_BLOCK = 1 << 16


def is_tbx(path: AnyPath) -> bool:
    """Whether the name is that of a TBX file, also with ``.gz``."""
    return plain_name(path).lower().endswith(".tbx")


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
            entries.feed(block, last=not block)
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


def _terms(entry: list[_Written], languages: tuple[str, str], path: AnyPath) -> Iterator[Term]:
    source, target = (
        [one for one in entry if one.text and base_language(one.language) == base_language(language)]
        for language in languages
    )
    for one in source:
        for other in target:
            yield Term(one.text, other.text, _usage(other.status.lower()), one.line)


def _usage(status: str) -> str:
    if status.startswith(_DEPRECATED):
        return "forbidden"
    return "preferred" if status.startswith(_ADMITTED) else "required"


class _Entries(XmlReader):
    """The entries of a file, and the one that is being read."""

    def __init__(self, path: AnyPath) -> None:
        super().__init__(path, may_have_doctype=True)
        #: The languages of the entries.
        self.seen: dict[str, None] = {}
        self._main = ""
        self._language = ""
        self._made: list[list[_Written]] = []
        self._entry: list[_Written] | None = None
        #: What the text that is being read belongs to, and its depth.
        self._field: tuple[str, int] | None = None

    def taken(self) -> list[list[_Written]]:
        """The entries since the last call."""
        made, self._made = self._made, []
        return made

    def languages(self, entry: list[_Written]) -> tuple[str, str]:
        """The language of the file and the one other language of an entry."""
        own = base_language(self._main)
        others = {base_language(one.language): None for one in entry if base_language(one.language) != own}
        if not own or len(others) > 1:
            seen = ", ".join(sorted(self.seen))
            raise InputError(
                f"it is not clear which languages are source and target: {seen}.",
                file=self.path,
                line=entry[0].line,
                hint="Say so: --glossary-languages SOURCE TARGET, in Python languages=….",
            )
        return own, next(iter(others), "")

    def started(self, name: str, attributes: dict[str, str]) -> None:
        """Note languages, entries and their terms."""
        language = attributes.get(f"{XML_NAMESPACE}lang", attributes.get("lang", ""))
        if len(self.above) == 1:
            if name not in _ROOTS:
                raise self.fail(f"the first element is <{name}>, <tbx> or <martif> was expected.")
            self._main = language
        if name in _ENTRIES:
            self._entry = []
        elif name in _SECTIONS:
            self._language = language
        elif self._entry is not None and self._field is None:
            kind = attributes.get("type", name) if name == "termNote" else name
            if name == "term":
                self.seen[self._language] = None
                self._entry.append(_Written(self._language, self.line))
                self._field = ("term", len(self.above))
            elif kind in _STATUS and self._entry:
                self._entry[-1].status = ""
                self._field = ("status", len(self.above))

    def text(self, text: str) -> None:
        """Add text to a term or its status."""
        if self._field is None or not self._entry:
            return
        if self._field[0] == "term":
            self._entry[-1].text += text
        else:
            self._entry[-1].status += text

    def ended(self, name: str) -> None:
        """Finish a term, its status or an entry."""
        if self._field is not None and len(self.above) == self._field[1]:
            self._field = None
        if name in _ENTRIES and self._entry is not None:
            for one in self._entry:
                one.text, one.status = " ".join(one.text.split()), one.status.strip()
            if self._entry:
                self._made.append(self._entry)
            self._entry = None
