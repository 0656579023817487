"""Subword pieces: systems print them if their output was not joined (``▁how ▁are``, ``hou@@ se``, ``house ￭.``)."""

from __future__ import annotations

import re

#: The characters that mark pieces: SentencePiece's start of a word, the joiner of OpenNMT's tokeniser.
_WORD, _JOINER = "▁", "￭"
#: The mark of subword-nmt at the end of a piece that continues.
_CONTINUED = re.compile(r"@@(?: |$)")
_JOINED = re.compile(f" ?{_JOINER} ?")


def join_pieces(text: str) -> tuple[str, str | None]:
    """A text with its pieces joined, and the mark that they had (None: no pieces, the text is unchanged)."""
    # The first word has no mark if the vocabulary was trained without a dummy prefix.
    if _WORD in text and (text.startswith(_WORD) or f" {_WORD}" in text):
        return " ".join(text.replace(" ", "").replace(_WORD, " ").split()), _WORD
    if "@@" in text and _CONTINUED.search(text):
        return _CONTINUED.sub("", text), "@@"
    if _JOINER in text:
        return _JOINED.sub("", text), _JOINER
    return text, None
