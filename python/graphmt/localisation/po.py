"""Gettext catalogues: untranslated messages are filled and marked fuzzy."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from functools import cached_property

from graphmt.corpus import mo, po
from graphmt.corpus.messages import MAX_FORMS, charset_of
from graphmt.errors import InputError
from graphmt.localisation.document import Document, Edit, Unit

_KEYWORD = re.compile(r"\s*(msgctxt|msgid_plural|msgid|msgstr)(?:\[([0-9]+)\])?\s*(?=\")")
_FORMS = re.compile(r"^plural-forms:.*?nplurals\s*=\s*0*([0-9]{1,9})", re.IGNORECASE | re.MULTILINE)
_UNFILLED = "charset=CHARSET"


@dataclasses.dataclass
class _Entry:
    """A message with the offsets of its parts."""

    #: The first line of msgctxt or msgid: its offset and number.
    start: int = -1
    line: int = 0
    #: The flags line, if any: where flags start.
    flags: int = -1
    fuzzy: bool = False
    #: Where the first line with the previous msgid starts, before which flags go.
    previous: int = -1
    #: The strings of each field.
    pieces: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    #: The start and end of each msgstr, without its last line end; by form.
    forms: dict[str, tuple[int, int]] = dataclasses.field(default_factory=dict)
    ending: str = "\n"

    @cached_property
    def fields(self) -> dict[str, str]:
        """The text of each field, when all of it was read."""
        return {key: "".join(pieces) for key, pieces in self.pieces.items()}


def read(data: bytes, name: str) -> Document:
    """The untranslated messages of a catalogue (``.po``, ``.pot``)."""
    if data[:4] in mo.MAGIC or name.lower().endswith(".mo"):
        raise InputError("a compiled catalogue cannot be translated.", file=name, hint="Translate the .po file.")
    # This reports any malformed line.
    catalogue = po.parse(data, name)
    charset = catalogue.charset
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    text = data[len(mark) :].decode(charset)
    entries = _entries(text, charset)
    header = next((entry.fields["msgstr"] for entry in entries if _is_header(entry)), "")
    found = _FORMS.search(header)
    plurals = min(int(found[1]), MAX_FORMS) or None if found else None
    units, others = [], 0
    for entry in entries:
        if _is_header(entry):
            continue
        if entry.fuzzy or all(entry.fields[form] for form in entry.forms) or not entry.fields["msgid"]:
            others += 1
        elif any(entry.fields[form] for form in entry.forms):
            # Some plural forms were translated by a person.
            others += 1
        else:
            units.append(_unit(entry, plurals))
    more: tuple[Edit, ...] = ()
    if _UNFILLED in header and (at := text.find(_UNFILLED)) >= 0:
        # An unfilled template: the translations need a character set.
        more = (Edit(at, at + len(_UNFILLED), "charset=UTF-8"),)
        charset = charset_of("", name)
    return Document(name, text, charset, tuple(units), others, mark, more, (catalogue.languages,))


def _is_header(entry: _Entry) -> bool:
    return entry.fields["msgid"] == "" and "msgctxt" not in entry.fields


def _unit(entry: _Entry, plurals: int | None) -> Unit:
    sources = [entry.fields["msgid"]]
    if "msgid_plural" in entry.fields:
        sources.append(entry.fields["msgid_plural"])

    def fill(translations: Sequence[str]) -> list[Edit]:
        if len(sources) == 1:
            named = {"msgstr": translations[0]}
        else:
            count = plurals or len(entry.forms)
            # The first form is the singular, unless there is only one, which applies to any number.
            texts = [translations[0], *[translations[1]] * (count - 1)] if count > 1 else [translations[1]]
            named = {f"msgstr[{form}]": text for form, text in enumerate(texts)}
        spans = list(entry.forms.values())
        written = entry.ending.join(f"{keyword} {_written(text, entry.ending)}" for keyword, text in named.items())
        if entry.flags >= 0:
            mark = Edit(entry.flags, entry.flags, " fuzzy,")
        else:
            at = entry.previous if entry.previous >= 0 else entry.start
            mark = Edit(at, at, f"#, fuzzy{entry.ending}")
        return [mark, Edit(spans[0][0], spans[-1][1], written)]

    return Unit(tuple(sources), fill, entry.line)


def _written(text: str, ending: str) -> str:
    """A string, on several lines if it has several."""
    lines = text.splitlines(keepends=True) if "\n" in text[:-1] else [text]
    if len(lines) < 2:
        return po.quoted(text)
    return ending.join(['""', *map(po.quoted, lines)])


def _entries(text: str, charset: str) -> list[_Entry]:
    """The messages, obsolete ones excluded; the catalogue is well-formed."""
    entries: list[_Entry] = []
    entry, key, at = _Entry(), "", 0
    for number, line in enumerate(text.split("\n"), 1):
        start, at = at, at + len(line) + 1
        ending = "\r\n" if line.endswith("\r") else "\n"
        stripped = line.strip()
        keyword = _KEYWORD.match(line)
        if entry.forms and (stripped.startswith("#") or (keyword and keyword[1] in ("msgid", "msgctxt"))):
            entries.append(entry)
            entry = _Entry()
        if stripped.startswith("#~"):
            entry = _Entry()
        elif stripped.startswith("#,"):
            entry.fuzzy |= "fuzzy" in re.split(r"[,\s]+", stripped)
            entry.flags = start + line.index("#,") + 2
        elif stripped.startswith("#|"):
            entry.previous = start if entry.previous < 0 else entry.previous
        elif stripped.startswith('"') or keyword:
            if keyword:
                key = keyword[1] if keyword[2] is None else f"msgstr[{int(keyword[2])}]"
                entry.pieces[key] = []
                if entry.start < 0:
                    entry.start, entry.line, entry.ending = start, number, ending
            written = line[keyword.end() :].strip() if keyword else stripped
            entry.pieces[key].append(po.unquoted(written, charset))
            if key.startswith("msgstr"):
                begin = entry.forms.get(key, (start, 0))[0]
                entry.forms[key] = (begin, start + len(line.rstrip("\r")))
    if entry.forms:
        entries.append(entry)
    return entries
