"""Texts for formats with a line for each candidate, and lines for messages."""

from __future__ import annotations

import re

#: Line ends within a text.
_LINE_ENDS = re.compile(r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
#: The most characters of a line in a message.
_SHOWN = 60


def one_line(text: str) -> str:
    """A text whose line ends became spaces."""
    return _LINE_ENDS.sub(" ", text)


def one_trimmed_line(text: str) -> str:
    """A text whose line ends, with the white space around them, became one space."""
    parts = _LINE_ENDS.split(text)
    return " ".join(filter(None, (part.strip() for part in parts))) if len(parts) > 1 else text


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
