"""The width of text: in terminal cells, and approximately in a sans-serif font."""

from __future__ import annotations

import unicodedata

#: Widths in em for a common sans-serif font. The reader's font is unknown, so these are generous.
_NARROW = frozenset("iljtfrI.,:;'|!()[]{}/\\ -`’‘")
_BROAD = frozenset("mwMWQOGD@%—…⇄")


def cells(text: str) -> int:
    """The cells of a terminal that a text takes: two for each wide East Asian character, none for accents."""
    return sum(_cells(char) for char in text)


def ems(text: str) -> float:
    """The approximate width of a text in em."""
    return sum(_ems(char) for char in text)


def padded(text: str, width: int) -> str:
    """The text padded with spaces to a number of cells."""
    return text + " " * (width - cells(text))


def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _ems(char: str) -> float:
    cell = _cells(char)
    if cell != 1:
        return float(cell) / 2
    if char in _NARROW:
        return 0.36
    if char in _BROAD:
        return 0.9
    return 0.7 if char.isupper() else 0.58
