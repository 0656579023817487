"""Files of strings by key: JSON, and ``.strings`` of Apple's systems. Every value is translated."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from graphmt.corpus.languages import Languages
from graphmt.errors import InputError
from graphmt.localisation.document import Document, Edit, LineNumbers, Unit, decoded
from graphmt.localisation.languages import either
from graphmt.storage.formats import parse_json

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],]', re.DOTALL)
_COLON = re.compile(r"\s*:")
_ENTRY = re.compile(
    r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<key>"(?:[^"\\]|\\.)*"|[\w.-]+)\s*=\s*(?P<value>"(?:[^"\\]|\\.)*")\s*;'
    # All the rest: what could begin in it is not looked for.
    r"|(?P<other>\S.*)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:[uU]([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}
_WRITTEN = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def read_json(data: bytes, name: str, languages: Languages) -> Document:
    """The strings of a JSON file: all values, or in a browser extension's file every ``message``.

    Keys that start with ``@`` (attributes in ARB files) and what is below them are left alone.
    """
    text, encoding, mark = decoded(data, name)
    try:
        content: Any = parse_json(text)
    except ValueError as error:
        # .arb is also the end of names of Arabic text.
        hint = "If it is plain text, use --format text." if ".arb" in name.lower() else None
        raise InputError(f"not JSON: {error}.", file=name, hint=hint) from None
    if not isinstance(content, dict | list):
        raise InputError("not an object or a list of strings.", file=name)
    values = list(content.values()) if isinstance(content, dict) else []
    messages = bool(values) and all(isinstance(one, dict) and isinstance(one.get("message"), str) for one in values)
    units, others = [], 0
    lines = LineNumbers(text)
    for key_path, start, end in _json_values(text):
        value = json.loads(text[start:end])
        skipped = any(key.startswith("@") for key in key_path) or (messages and key_path[1:] != ["message"])
        if skipped or not value.strip():
            others += 1
            continue
        is_ascii = text[start:end].isascii() and "\\u" in text[start:end]
        units.append(_json_unit(value, start, end, lines.at(start), is_ascii))
    # As ARB files name it.
    own = content.get("@@locale") if isinstance(content, dict) else None
    stated = either(own, languages) if isinstance(own, str) else ()
    return Document(name, text, encoding, tuple(units), others, mark, stated=stated)


def _json_unit(value: str, start: int, end: int, line: int, is_ascii: bool) -> Unit:
    def fill(translations: Sequence[str]) -> list[Edit]:
        return [Edit(start, end, json.dumps(translations[0], ensure_ascii=is_ascii))]

    return Unit((value,), fill, line)


def _json_values(text: str) -> list[tuple[list[str], int, int]]:
    """The string values of valid JSON: the keys above each, and its offsets."""
    found: list[tuple[list[str], int, int]] = []
    path: list[str] = [""]
    for token in _STRING.finditer(text):
        first = token[0][0]
        if first in "{[":
            path.append("")
        elif first in "}]":
            path.pop()
        elif first == '"':
            if _COLON.match(text, token.end()):
                path[-1] = json.loads(token[0])
            else:
                found.append((path[1:], token.start(), token.end()))
    return found


def read_strings(data: bytes, name: str) -> Document:
    """The values of a ``.strings`` file."""
    text, encoding, mark = decoded(data, name, utf16=True)
    units, others = [], 0
    lines = LineNumbers(text)
    for entry in _ENTRY.finditer(text):
        line = lines.at(entry.start())
        if entry["other"]:
            raise InputError('"key" = "value"; was expected.', file=name, line=line)
        if entry["comment"]:
            continue
        try:
            # Two escapes may be one character.
            value = _ESCAPE.sub(_character, entry["value"][1:-1]).encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise InputError("an escape that is half of a surrogate pair.", file=name, line=line) from None
        if value.strip():
            units.append(_strings_unit(value, *entry.span("value"), line))
        else:
            others += 1
    return Document(name, text, encoding, tuple(units), others, mark)


def _character(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _LETTERS.get(escape[2], escape[2])


def _strings_unit(value: str, start: int, end: int, line: int) -> Unit:
    def fill(translations: Sequence[str]) -> list[Edit]:
        return [Edit(start, end, f'"{translations[0].translate(_WRITTEN)}"')]

    return Unit((value,), fill, line)
