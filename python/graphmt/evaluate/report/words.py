"""Word-by-word differences of two texts."""

from __future__ import annotations

import difflib

from graphmt.draw.elements import Markup, element


def marked(said: str, other: str, *, lower: bool = False) -> Markup:
    """A text with the words highlighted that differ from the other."""
    words = said.split()
    ours, theirs = ([w.lower() for w in ws] if lower else ws for ws in (words, other.split()))
    same = {
        place
        for block in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
        for place in range(block.a, block.a + block.size)
    }
    return Markup(" ".join(element("span", w, class_=None if k in same else "off") for k, w in enumerate(words)))
