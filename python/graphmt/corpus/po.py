"""Editable catalogues (``.po``)."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter

from graphmt.corpus.languages import StatedLanguages
from graphmt.corpus.messages import MAX_FORMS, Catalogue, Message, charset_of, languages_of
from graphmt.errors import InputError

_KEYWORD = re.compile(r"(msgctxt|msgid_plural|msgid|msgstr)(?:\[([0-9]+)\])?\s*(?=\")")
#: One escaped character, or a run of numeric bytes, which may form characters only together.
_ESCAPE = re.compile(r"(?:\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}))+|\\.")
_NUMBER = re.compile(r"[0-7]{1,3}|x[0-9a-fA-F]{1,2}")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"', "\\": "\\"}

_NAMES = {character: f"\\{letter}" for letter, character in _LETTERS.items()}
_QUOTED = re.compile(r'["\\\n\t\r\a\b\f\v]')


@dataclasses.dataclass
class _Entry:
    """The fields of one message read so far."""

    line: int = 0
    fuzzy: bool = False
    context: str | None = None
    id: str | None = None
    plural: str | None = None
    forms: dict[int, str] = dataclasses.field(default_factory=dict)


class _Parser:
    def __init__(self, name: str, charset: str) -> None:
        self.name = name
        self.charset = charset
        self.messages: list[Message] = []
        self.skipped: Counter[str] = Counter()
        self.languages = StatedLanguages()
        self.entry = _Entry()
        #: The field of a continued string: a name and, for a translation, its plural form.
        self.open: tuple[str, int] | None = None
        #: Its strings so far.
        self.pieces: list[str] = []

    def fail(self, number: int, message: str) -> InputError:
        return InputError(message, file=self.name, line=number, hint="msgfmt --check lists all such lines.")

    def line(self, number: int, line: str) -> None:
        text = line.strip()
        if not text:
            return
        if text.startswith("#~"):
            # An obsolete message: counted by its msgid, otherwise ignored.
            self.finish()
            self.entry.fuzzy = False
            self.skipped["obsolete"] += text[2:].lstrip().startswith("msgid ")
        elif text.startswith("#"):
            if self.entry.forms:
                self.finish()
            if text.startswith("#,"):
                self.entry.fuzzy |= "fuzzy" in re.split(r"[,\s]+", text)
        elif text.startswith('"'):
            if self.open is None:
                raise self.fail(number, "a string without msgid or msgstr before it.")
            self.pieces.append(self.string(number, text))
        elif keyword := _KEYWORD.match(text):
            self.begin(number, keyword[1], keyword[2])
            self.pieces.append(self.string(number, text[keyword.end() :]))
        else:
            word = text.split()[0]
            raise self.fail(number, f"{word!r} where msgctxt, msgid, msgid_plural, msgstr or a string was expected.")

    def begin(self, number: int, keyword: str, index: str | None) -> None:
        self.close()
        if (keyword in ("msgid", "msgctxt") and self.entry.forms) or (
            keyword == "msgctxt" and self.entry.id is not None
        ):
            self.finish()
        entry = self.entry
        if index is not None and keyword != "msgstr":
            raise self.fail(number, f"{keyword} takes no [{index}].")
        if keyword == "msgid":
            if entry.id is not None:
                raise self.fail(number, f"a second msgid; the message of line {entry.line} has no msgstr.")
            entry.id, entry.line = "", number
        elif keyword == "msgctxt":
            if entry.context is not None:
                raise self.fail(number, "a second msgctxt in one message.")
            entry.context = ""
        elif entry.id is None:
            raise self.fail(number, f"{keyword} before any msgid.")
        elif keyword == "msgid_plural":
            if entry.plural is not None or entry.forms:
                raise self.fail(number, "msgid_plural was not expected here; it follows its msgid.")
            entry.plural = ""
        else:
            if (index is None) != (entry.plural is None):
                wanted = "msgstr[0]" if entry.plural is not None else "msgstr"
                raise self.fail(number, f"{wanted} was expected for the message of line {entry.line}.")
            form = len(entry.forms)
            if index is not None and index.lstrip("0") != str(form).lstrip("0"):
                raise self.fail(number, f"msgstr[{index[:20]}] where msgstr[{form}] was expected.")
            if form >= (1 if index is None else MAX_FORMS):
                raise self.fail(number, f"another msgstr; the message of line {entry.line} has {form} already.")
            entry.forms[form] = ""
        self.open = (keyword, max(0, len(entry.forms) - 1))

    def close(self) -> None:
        """Join the strings of the open field."""
        if self.open is None:
            return
        (keyword, form), text = self.open, "".join(self.pieces)
        self.open, self.pieces = None, []
        if keyword == "msgstr":
            self.entry.forms[form] = text
        else:
            setattr(self.entry, {"msgctxt": "context", "msgid": "id", "msgid_plural": "plural"}[keyword], text)

    def string(self, number: int, text: str) -> str:
        try:
            return unquoted(text, self.charset)
        except ValueError as error:
            raise self.fail(number, f"{error}.") from None

    def finish(self) -> None:
        self.close()
        entry, self.entry = self.entry, _Entry()
        if entry.id is None:
            self.entry.fuzzy = entry.fuzzy
            return
        if not entry.forms:
            raise self.fail(entry.line, "this message has no msgstr.")
        if entry.id == "" and entry.context is None:
            self.languages = languages_of(entry.forms[0])
            return
        forms = tuple(entry.forms.values())
        if entry.fuzzy:
            self.skipped["fuzzy"] += 1
        elif not all(forms):
            self.skipped["untranslated"] += 1
        else:
            self.messages.append(Message(entry.id, forms, entry.plural, entry.context, entry.line))


def unquoted(text: str, charset: str) -> str:
    """The content of a string in quotes; ``ValueError`` if it is malformed."""
    inner = re.fullmatch(r'"((?:[^"\\]|\\.)*)"', text)
    if inner is None:
        raise ValueError("a string without a closing quote, or with text after it")

    def letter(escape: re.Match[str]) -> str:
        codes = escape[0].split("\\")[1:]
        if _NUMBER.fullmatch(codes[0]):
            numbers = [int(code[1:], 16) if code[0] == "x" else int(code, 8) for code in codes]
            try:
                return bytes(numbers).decode(charset)
            except ValueError:
                raise ValueError(f"{escape[0]} is not valid {charset}") from None
        if escape[0][1] not in _LETTERS:
            raise ValueError(f"unknown escape {escape[0]}")
        return _LETTERS[escape[0][1]]

    return _ESCAPE.sub(letter, inner[1])


def quoted(text: str) -> str:
    """A text as a string in quotes."""
    return f'"{_QUOTED.sub(lambda found: _NAMES[found[0]], text)}"'


def parse(data: bytes, name: str) -> Catalogue:
    """The catalogue in ``data``; ``name`` is used in errors."""
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    # The header is ASCII in practice and names the character set of the rest.
    start = data.find(b'msgid ""')
    header = data[start if start >= 0 else 0 :].split(b"\n\n", 1)[0].decode("ascii", "replace")
    plain = re.sub(r'^(?:msgstr\s*)?"|\\n"$|"$', "", header, flags=re.MULTILINE)
    charset = charset_of(plain.replace("\\n", "\n"), name)
    parser = _Parser(name, charset)
    for number, raw in enumerate(data.split(b"\n"), 1):
        try:
            line = raw.decode(charset)
        except UnicodeDecodeError as error:
            raise InputError(
                f"not {charset}, as declared in its header (byte {raw[error.start]:#04x} at {error.start}).",
                file=name,
                line=number,
            ) from None
        parser.line(number, line)
    parser.finish()
    return Catalogue(tuple(parser.messages), dict(parser.skipped), charset, parser.languages)
