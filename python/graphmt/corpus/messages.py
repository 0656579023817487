"""The messages of a gettext catalogue, whatever file they came from."""

from __future__ import annotations

import codecs
import dataclasses
import re
from collections.abc import Iterator, Mapping

from graphmt.errors import InputError

#: Characters of the catalogue's own syntax; its character set must encode them as ASCII does.
_ASCII = 'msgid_plural "0" [1]'
#: Encodings of Python that are not character sets: escape sequences, host names.
_NO_CHARSETS = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7", "mbcs", "oem")


#: The most plural forms of a message; languages have up to six.
MAX_FORMS = 32


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


def charset_of(header: str, name: str) -> str:
    """The character set that the header entry (the translation of the empty message) names; else UTF-8."""
    found = re.search(r"^content-type:.*?charset=([^\s;]+)", header, re.IGNORECASE | re.MULTILINE)
    charset = found[1] if found else "utf-8"
    # A template that was never filled in says CHARSET.
    charset = "utf-8" if charset.upper() == "CHARSET" else charset
    try:
        found_name = codecs.lookup(charset).name
        if found_name in _NO_CHARSETS or _ASCII.encode("ascii").decode(charset) != _ASCII:
            raise LookupError
        return found_name
    except (LookupError, ValueError):
        raise InputError(
            f"the header names the character set {charset!r}, which is not known.",
            file=name,
            hint="Convert the catalogue, for example with msgconv --to-code=UTF-8.",
        ) from None
