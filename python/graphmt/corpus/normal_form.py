"""One form of the same characters: ``é`` can be one character or two, and both look the same."""

from __future__ import annotations

import unicodedata


def normal_form(text: str) -> str:
    """A text in Unicode's normal form C, to be compared with others; text in this form is returned as it is."""
    return unicodedata.normalize("NFC", text)
