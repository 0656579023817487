"""Gettext catalogues (``.po`` and ``.mo``) as parallel text."""

from __future__ import annotations

import codecs
import dataclasses
import gzip
import os
import re
import zlib
from collections.abc import Iterator, Mapping

from graphmt.errors import InputError
from graphmt.files import AnyPath, is_gzip, open_bytes


@dataclasses.dataclass(frozen=True)
class Message:
    """A translated message: ``forms`` has one translation, or one for each plural form."""

    id: str
    forms: tuple[str, ...]
    plural: str | None = None
    context: str | None = None
    line: int | None = None

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Source and target: the singular with the first form, the plural with every further one.

        A language with one form for all numbers has it paired with the plural, which speaks of any number.
        """
        if self.plural is None or len(self.forms) > 1:
            yield self.id, self.forms[0]
        if self.plural is not None:
            for form in self.forms[1:] or self.forms:
                yield self.plural, form


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """The translated messages in the order of the file, and how many others were skipped, by reason."""

    messages: tuple[Message, ...]
    skipped: Mapping[str, int]
    charset: str

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Pairs (source, target), each text in one line: white space of any kind and amount is one space."""
        for message in self.messages:
            for source, target in message.pairs():
                yield " ".join(source.split()), " ".join(target.split())


def is_catalogue(path: AnyPath) -> bool:
    """Whether the name is that of a gettext catalogue: ``.po``, ``.pot`` or ``.mo``, also with ``.gz``."""
    return os.fspath(path).removesuffix(".gz").endswith((".po", ".pot", ".mo"))


def read_catalogue(path: AnyPath) -> Catalogue:
    """Read a catalogue, plain or gzip. Fuzzy, obsolete and untranslated messages are skipped and counted."""
    from graphmt.corpus import mo, po

    data = _content(path)
    name = os.fspath(path)
    if data[:4] in mo.MAGIC:
        return mo.parse(data, name)
    if name.removesuffix(".gz").endswith(".mo"):
        raise InputError("not a compiled catalogue: its first four bytes are not those of a .mo file.", file=name)
    return po.parse(data, name)


def charset_of(header: str, name: str) -> str:
    """The character set that the header entry (the translation of the empty message) names; else UTF-8."""
    found = re.search(r"^content-type:.*?charset=([^\s;]+)", header, re.IGNORECASE | re.MULTILINE)
    charset = found[1] if found else "utf-8"
    # A template that was never filled in says CHARSET.
    charset = "utf-8" if charset.upper() == "CHARSET" else charset
    try:
        return codecs.lookup(charset).name
    except LookupError:
        raise InputError(
            f"the header names the character set {charset!r}, which is not known.",
            file=name,
            hint="Convert the catalogue, for example with msgconv --to-code=UTF-8.",
        ) from None


def _content(path: AnyPath) -> bytes:
    zipped = is_gzip(path)
    with open_bytes(path) as raw:
        try:
            return gzip.open(raw).read() if zipped else raw.read()
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"damaged gzip data ({error}).", file=path, hint="Copy it again.") from None
        except OSError as error:
            raise InputError(f"{error.strerror or error}.", file=path) from None
