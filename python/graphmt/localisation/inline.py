"""Text with inline elements of XML, as text with numbered tags, which the recogniser protects."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from graphmt.localisation.fragments import BLANK, Piece, pieces_of

#: Elements whose content is a formatting code, not text (XLIFF 1.2 and TMX).
_CODES = frozenset(("bpt", "ept", "it", "ph", "ut"))
#: Empty elements, or codes, that open and close: the second of each pair, and the attribute that names the first.
_OPENERS = {"bpt": ("rid", "i", "id"), "bx": ("rid", "id"), "sc": ("id",), "sm": ("id",)}
_CLOSERS = {"ept": ("rid", "i", "id"), "ex": ("rid", "id"), "ec": ("startRef",), "em": ("startRef",)}
_PAIRS = {"ept": "bpt", "ex": "bx", "ec": "sc", "em": "sm"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class Opaque(str):
    """Characters in a run of text that stay as they are."""


class Escapes(Protocol):
    """How a format writes characters, besides the escapes of XML."""

    def read(self, runs: Sequence[str]) -> list[list[str]]:
        """The text that each run between tags means, in parts; :class:`Opaque` is what means nothing."""

    def written(self, runs: Sequence[str]) -> list[str]:
        """The runs that mean these texts."""


class _Tag(NamedTuple):
    """The characters of a tag, and whether it starts (1) or ends (-1) an element."""

    raw: str
    depth: int = 0


class InlineText:
    """The content of an element: its text with a numbered tag for each inline tag, and back again.

    Parameters
    ----------
    raw
        The content in the file, well-formed.
    codes
        Elements that stand for a value, as they are named in the file; in the text, each is a variable.
    escapes
        The escapes of the format.
    """

    def __init__(self, raw: str, *, codes: frozenset[str] = frozenset(), escapes: Escapes | None = None) -> None:
        self._escapes = escapes
        pieces, self._before, self._after = _without_margins(pieces_of(raw))
        self._sections = _Sections(pieces)
        runs, tags = _runs(pieces, codes)
        read = [[run] for run in runs] if escapes is None else escapes.read(runs)
        parts: list[str | Piece] = [*read[0]]
        for tag, run in zip(tags, read[1:], strict=True):
            parts += [tag, *run]
        written = "".join(part for part in parts if isinstance(part, str))
        #: A tag name that the text does not contain.
        self._name = "x" * (1 + max(map(len, re.findall(r"[<{][\s/]*(x+)[0-9]", written)), default=0))
        self._tags: dict[str, _Tag] = {}
        self.text = _Numbering(self._name, self._tags).text(parts)

    def restored(self, text: str) -> str:
        """The XML of a translated text, well-formed whatever became of its tags."""
        pieces = re.split(rf"(</?{self._name}[0-9]+/?>|\{{{self._name}[0-9]+\}})", text)
        runs = pieces[::2] if self._escapes is None else self._escapes.written(pieces[::2])
        made = [self._before, self._sections.escaped(runs[0])]
        opened: list[str] = []
        for written, run in zip(pieces[1::2], runs[1:], strict=True):
            tag = self._tags.get(written, _Tag(""))
            if tag.depth >= 0:
                made.append(tag.raw)
                opened += [f"</{written[1:]}"] * tag.depth
            elif written in opened:
                while (inner := opened.pop()) != written:
                    made.append(self._tags[inner].raw)
                made.append(tag.raw)
            made.append(self._sections.escaped(run))
        made += [self._tags[written].raw for written in reversed(opened)]
        return "".join([*made, self._after])


class _Numbering:
    """Names the tags of a text ``<x0>``, ``</x0>``, ``<x1/>`` or ``{x2}``, and notes what they stand for."""

    def __init__(self, name: str, tags: dict[str, _Tag]) -> None:
        self._name, self._tags = name, tags
        self._count = 0
        #: Numbers of elements that are open, and of codes that open something, by their names and ids.
        self._elements: list[int] = []
        self._codes: dict[tuple[str, str], int] = {}

    def text(self, parts: Sequence[str | Piece]) -> str:
        """The text with its tags."""
        return "".join(
            part if type(part) is str else self._written(part if isinstance(part, Piece) else Piece("note", part))
            for part in parts
        )

    def _written(self, piece: Piece) -> str:
        name = piece.value.rpartition(":")[2]
        number, depth = self._count, 0
        self._count += 1
        pattern = "<{}{}/>"
        if piece.kind == "end":
            number, depth, pattern = self._elements.pop(), -1, "</{}{}>"
        elif piece.kind == "start":
            self._elements.append(number)
            depth, pattern = 1, "<{}{}>"
        elif piece.kind == "variable":
            pattern = "{{{}{}}}"
        elif name in _OPENERS:
            self._codes[name, _reference(piece.attributes, _OPENERS[name])] = number
            pattern = "<{}{}>"
        elif name in _CLOSERS:
            opener = _PAIRS[name], _reference(piece.attributes, _CLOSERS[name])
            if opener in self._codes:
                number, pattern = self._codes.pop(opener), "</{}{}>"
        written = pattern.format(self._name, number)
        self._tags[written] = _Tag(piece.raw, depth)
        return written


class _Sections:
    """How text is written: in CDATA sections if the source has some, with its character references if it has these."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._some = any(piece.kind == "cdata" for piece in pieces)
        self._all = not any(piece.kind == "text" and piece.value.strip(BLANK) for piece in pieces)
        plain = set("".join(piece.value for piece in pieces if not piece.raw.startswith("&")))
        references = [piece for piece in pieces if piece.kind == "text" and piece.raw.startswith("&")]
        #: Characters that the source has as references only.
        self._references = {
            ord(piece.value): piece.raw for piece in references if _is_special(piece.value) and piece.value not in plain
        }

    def escaped(self, text: str) -> str:
        """Text as XML."""
        text = _CONTROL.sub("", text)
        if self._some and text.strip(BLANK) and (self._all or "<" in text or "&" in text):
            return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>"
        # A parser would take a carriage return for a line end.
        text = re.sub("\r(?!\n)", "&#13;", html.escape(text, quote=False))
        return text.translate(self._references)


def _is_special(character: str) -> bool:
    """Whether a character is not one that has to be a reference, nor part of references, nor one of any text."""
    return len(character) == 1 and character not in "<>&#;\r\n\t " and not (character.isascii() and character.isalnum())


def _without_margins(pieces: list[Piece]) -> tuple[list[Piece], str, str]:
    """The pieces without comments at the start and at the end, with white space around these; and what is left out."""
    start = _margin(pieces)
    end = len(pieces) - _margin(pieces[start:][::-1])
    rest = pieces[start:end]
    before, after = ("".join(piece.raw for piece in some) for some in (pieces[:start], pieces[end:]))
    if before and rest[0].kind == "text":
        text = rest[0].raw.lstrip(BLANK)
        before += rest[0].raw[: len(rest[0].raw) - len(text)]
        rest[0] = Piece("text", text, text if text != rest[0].raw else rest[0].value)
    if after and rest[-1].kind == "text":
        text = rest[-1].raw.rstrip(BLANK)
        after = rest[-1].raw[len(text) :] + after
        rest[-1] = Piece("text", text, text if text != rest[-1].raw else rest[-1].value)
    return rest, before, after


def _margin(pieces: Sequence[Piece]) -> int:
    """How many pieces come before the text, if there is a comment among them or a CDATA section after them."""
    has_note = False
    for count, piece in enumerate(pieces):
        if piece.kind != "note" and (piece.kind != "text" or piece.value.strip(BLANK)):
            return count if has_note or piece.kind == "cdata" else 0
        has_note |= piece.kind == "note"
    return 0


def _runs(pieces: Sequence[Piece], codes: frozenset[str]) -> tuple[list[str], list[Piece]]:
    """The text between tags, and the tags; an element that is not translated is one tag."""
    runs: list[list[str]] = [[]]
    tags: list[Piece] = []
    code: list[str] = []
    depth = 0
    for piece in pieces:
        if depth:
            code.append(piece.raw)
            depth += {"start": 1, "end": -1}.get(piece.kind, 0)
            if not depth:
                tags[-1] = tags[-1]._replace(raw="".join(code))
        elif piece.kind in ("text", "cdata"):
            runs[-1].append(piece.value)
        elif piece.kind == "end" and not runs[-1] and tags[-1].kind == "start":
            # An element without content, such as <x></x>.
            tags[-1] = tags[-1]._replace(kind="empty", raw=tags[-1].raw + piece.raw)
        else:
            if piece.kind == "start" and (piece.value in codes or _is_code(piece)):
                kind = "variable" if piece.value in codes else "empty"
                depth, code, piece = 1, [piece.raw], piece._replace(kind=kind)
            tags.append(piece)
            runs.append([])
    return ["".join(run) for run in runs], tags


def _is_code(piece: Piece) -> bool:
    """Whether the content of an element is a formatting code, or marked as not to be translated."""
    marks = {name.rpartition(":")[2]: value for name, value in piece.attributes.items()}
    return (
        piece.value.rpartition(":")[2] in _CODES or marks.get("translate") == "no" or marks.get("mtype") == "protected"
    )


def _reference(attributes: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((attributes[name] for name in names if name in attributes), "")
