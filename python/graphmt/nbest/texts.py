"""Texts for formats with a line for each candidate, and lines for messages."""

from __future__ import annotations

import re

#: Line ends within a text.
_LINE_ENDS = re.compile(r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
#: Line ends with the white space around them.
_WITH_SPACE = re.compile(r"\s*[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")
#: The most characters of a line in a message.
_SHOWN = 60


def one_line(text: str) -> str:
    """A text whose line ends became spaces."""
    return _LINE_ENDS.sub(" ", text)


def one_trimmed_line(text: str) -> str:
    """A text whose line ends, with the white space around them, became one space."""
    return _WITH_SPACE.sub(" ", text).strip() if _WITH_SPACE.search(text) else text


def shown(line: str) -> str:
    """The start of a line for a message, in quotes."""
    short = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
    return repr(short)


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
