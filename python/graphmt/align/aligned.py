"""The result of word alignment."""

from __future__ import annotations

import dataclasses

from graphmt._core import Alignment


@dataclasses.dataclass(frozen=True)
class Aligned:
    """The links of a text, with counts.

    Examples
    --------
    >>> from graphmt.align import AlignOptions, align
    >>> aligned = align(["das Haus", "das Buch"], ["the house", "the book"], AlignOptions(model="ibm1"))
    >>> aligned.empty, aligned.too_long, len(aligned.alignment)
    (0, 0, 2)
    """

    alignment: Alignment
    forward: Alignment
    reverse: Alignment
    #: Pairs without links because a side has no words.
    empty: int
    #: Pairs without links because a side has more words than ``longest``.
    too_long: int
    longest: int
    #: Name and version of the library.
    library: str
