"""The messages of a gettext catalogue, from any file format."""

from __future__ import annotations

import codecs
import dataclasses
import re
from collections.abc import Iterator, Mapping

from graphmt.corpus.languages import StatedLanguages
from graphmt.errors import InputError
from graphmt.reprs import counted

#: Characters of the catalogue's own syntax; its character set must encode them as ASCII does.
_ASCII = 'msgid_plural "0" [1]'
#: Encodings of Python that are not character sets: escape sequences, host names.
_NO_CHARSETS = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7", "mbcs", "oem")


#: The most plural forms of a message; languages have up to six.
MAX_FORMS = 32


@dataclasses.dataclass(frozen=True)
class Message:
    """A translated message: ``forms`` has one translation, or one for each plural form.

    Examples
    --------
    >>> from graphmt.corpus import read_catalogue
    >>> message = read_catalogue("messages.po").messages[0]
    >>> message.id, message.forms
    ('Open file', ('Datei öffnen',))
    """

    id: str
    forms: tuple[str, ...]
    plural: str | None = None
    context: str | None = None
    line: int | None = None

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Pairs (source, target): the singular with the first form, the plural with the others.

        In a language with a single form, it is paired with the plural, which applies to any number.
        """
        if self.plural is None or len(self.forms) > 1:
            yield self.id, self.forms[0]
        if self.plural is not None:
            for form in self.forms[1:] or self.forms:
                yield self.plural, form


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """The translated messages in the order of the file, and how many others were skipped, by reason.

    Examples
    --------
    >>> from graphmt.corpus import read_catalogue
    >>> catalogue = read_catalogue("messages.po")
    >>> catalogue
    Catalogue(2 messages, skipped={})
    >>> next(catalogue.pairs())
    ('Open file', 'Datei öffnen')
    """

    messages: tuple[Message, ...]
    skipped: Mapping[str, int]
    charset: str
    #: The languages that its header names.
    languages: StatedLanguages = dataclasses.field(default_factory=StatedLanguages)

    def __repr__(self) -> str:
        return f"Catalogue({counted(len(self.messages), 'message')}, skipped={dict(self.skipped)})"

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Pairs (source, target), each text on one line: any white space becomes one space."""
        for message in self.messages:
            for source, target in message.pairs():
                yield " ".join(source.split()), " ".join(target.split())


def languages_of(header: str) -> StatedLanguages:
    """The languages that the header entry names, of the translations and (as Poedit writes it) of the messages."""
    found = {
        name: re.search(rf"^{name}:[ \t]*([^\n]*)", header, re.IGNORECASE | re.MULTILINE)
        for name in ("x-source-language", "language")
    }
    return StatedLanguages.of(*(one and one[1] for one in found.values()))


def charset_of(header: str, name: str) -> str:
    """The character set in the header entry (the translation of the empty message); default UTF-8."""
    found = re.search(r"^content-type:.*?charset=([^\s;]+)", header, re.IGNORECASE | re.MULTILINE)
    charset = found[1] if found else "utf-8"
    # An unfilled template has CHARSET.
    charset = "utf-8" if charset.upper() == "CHARSET" else charset
    try:
        found_name = codecs.lookup(charset).name
        if found_name in _NO_CHARSETS or _ASCII.encode("ascii").decode(charset) != _ASCII:
            raise LookupError
        return found_name
    except (LookupError, ValueError):
        raise InputError(
            f"unknown character set {charset!r} in the header.",
            file=name,
            hint="Convert the catalogue, for example with msgconv --to-code=UTF-8.",
        ) from None
