"""Android's escapes in strings: what they mean, and text written with those that it needs.

Quotation marks keep the white space between them and disappear; elsewhere white space becomes one space, and that at
the ends disappears. See "String resources" in Android's documentation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby

from graphmt.localisation.inline import Opaque

_TOKEN = re.compile(
    r"(?P<pair>\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2})|\\u(?P<code>[0-9A-Fa-f]{4})|\\(?P<letter>.)"
    r"|(?P<quote>\")|(?P<space>[ \t\r\n]+)|(?P<plain>[^\\\" \t\r\n]+)|(?P<rest>\\)",
    re.DOTALL,
)
_LETTERS = {"n": "\n", "t": "\t"}
_SPACE = r"\u0020"
_IN_QUOTES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\t": "\\t", '"': '\\"'})
#: With quotation marks that are not escaped, and with none.
_ALONE = {**_IN_QUOTES, ord("'"): "\\'", ord('"'): '"'}
_PLAIN = {**_ALONE, ord('"'): '\\"'}
_REFERENCE = re.compile(r"[@?][+*]{0,2}(?:[\w.]+:)?(?:\w+/)?[\w.]+", re.ASCII)


class AndroidText:
    """The escapes of one string, for :class:`InlineText`."""

    def __init__(self) -> None:
        #: Whether the whole string is in quotation marks.
        self._is_quoted = False
        #: Whether its quotation marks are written without a backslash: they are inside it, and there are no others.
        self._are_bare = False
        #: Characters that the source has as escapes only.
        self._escapes: dict[int, str] = {}

    def read(self, runs: Sequence[str]) -> list[list[str]]:
        """The text that runs mean."""
        tokens = [list(_TOKEN.finditer(run)) for run in runs]
        self._find_style(runs, [token for run in tokens for token in run])
        is_open, found = False, []
        for place, run in enumerate(tokens):
            parts: list[str] = []
            for at, token in enumerate(run):
                is_open ^= token.lastgroup == "quote"
                is_margin = (place == 0 and at == 0) or (place == len(runs) - 1 and at == len(run) - 1)
                parts.append(self._meant(token, is_open, is_margin))
            found.append(_joined(parts))
        return found

    def written(self, runs: Sequence[str]) -> list[str]:
        """Runs that mean these texts."""
        if self._is_quoted:
            made = [run.translate(_IN_QUOTES).translate(self._escapes) for run in runs]
            return [f'"{made[0]}', *made[1:-1], f'{made[-1]}"'] if len(made) > 1 else [f'"{made[0]}"']
        are_bare = self._are_bare and sum(run.count('"') for run in runs) % 2 == 0
        table = _ALONE if are_bare else _PLAIN
        made, is_open = [], False
        for place, run in enumerate(runs):
            is_first, is_last = place == 0, place == len(runs) - 1
            parts = ["\\"] if is_first and run[:1] in ("@", "?") else []
            for at, character in enumerate(run):
                is_open ^= are_bare and character == '"'
                # A space that would disappear.
                at_end = (is_first and at == 0) or (is_last and at == len(run) - 1)
                is_lost = character == " " and (at_end or (at and run[at - 1] == " "))
                parts.append(_SPACE if is_lost and not is_open else character.translate(table))
            made.append("".join(parts).translate(self._escapes))
        return made

    def _find_style(self, runs: Sequence[str], tokens: Sequence[re.Match[str]]) -> None:
        inner = [token for token in tokens if token["space"] is None]
        quotes = sum(token["quote"] is not None for token in tokens)
        is_edge = [bool(inner) and token["quote"] is not None for token in (*inner[:1], *inner[-1:])]
        self._is_quoted = quotes == 2 and all(is_edge) and bool(runs[0].strip()) and bool(runs[-1].strip())
        self._are_bare = (
            quotes > 0
            and quotes % 2 == 0
            and not self._is_quoted
            and not any(token["quote"] is None and _character(token) == '"' for token in tokens)
        )
        plain = set("".join(token["plain"] or "" for token in tokens))
        for token in tokens:
            character = _character(token)
            if (token["pair"] or token["code"]) and character not in plain and not character.isascii():
                self._escapes[ord(character)] = token[0]

    def _meant(self, token: re.Match[str], is_open: bool, is_margin: bool) -> str:
        if token["quote"]:
            return '"' if self._are_bare else ""
        if token["space"]:
            return token[0].replace("\r\n", "\n") if is_open else "" if is_margin else " "
        return token["plain"] or _character(token)


def _character(token: re.Match[str]) -> str:
    """The character of an escape; no text can have half a pair or a control character, so these escapes stay."""
    if token["letter"]:
        return _LETTERS.get(token["letter"], token["letter"])
    if token["pair"]:
        return (int(token[0][2:6], 16).to_bytes(2, "big") + int(token[0][8:12], 16).to_bytes(2, "big")).decode(
            "utf-16-be"
        )
    if token["code"]:
        character = chr(int(token["code"], 16))
        if unicodedata.category(character) not in ("Cc", "Cs", "Cn") or character in "\n\t":
            return character
    return Opaque(token[0])


def _joined(parts: Sequence[str]) -> list[str]:
    """The parts of a run, as few as there can be."""
    made: list[str] = []
    for is_opaque, some in groupby(parts, lambda part: isinstance(part, Opaque)):
        given = list(some)
        made += given if is_opaque else ["".join(given)]
    return made


def is_reference(content: str) -> bool:
    """Whether the content of an element refers to a resource or a theme's attribute."""
    return _REFERENCE.fullmatch(content) is not None
