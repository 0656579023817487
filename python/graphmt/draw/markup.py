"""Text in SVG and HTML: escaped, and without invalid characters."""

from __future__ import annotations

from xml.sax import saxutils

#: A picture for each control character but tab and line feed (U+2400 has them in the same order); U+FFFD for those that
#: have none, for halves of surrogate pairs and for numbers that are no characters.
_SHOWN = {
    **{code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)},
    0x7F: 0x2421,
    **dict.fromkeys((*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), 0xFFFD),
}


def visible(text: str) -> str:
    """The text with invalid characters replaced by visible ones."""
    # Nearly all texts are printable and have none.
    return text if text.isprintable() else text.translate(_SHOWN)


def escape(text: str) -> str:
    """Text between tags."""
    return saxutils.escape(visible(text))


def quoteattr(text: str) -> str:
    """Text as the value of an attribute, with its quotes."""
    return saxutils.quoteattr(visible(text))
