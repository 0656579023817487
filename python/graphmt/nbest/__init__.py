"""N-best lists: the record, the formats in which they are read and written, and columns for tuning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.nbest.columns import NBest
    from graphmt.nbest.formats import FORMATS, NBestFormat, written
    from graphmt.nbest.reading import NBestFile, count_lists, read_lists
    from graphmt.nbest.record import NBestList
    from graphmt.nbest.results import lists_of
    from graphmt.nbest.scores import ScoreMeaning

__all__ = [
    "FORMATS",
    "NBest",
    "NBestFile",
    "NBestFormat",
    "NBestList",
    "ScoreMeaning",
    "count_lists",
    "lists_of",
    "read_lists",
    "written",
]

__getattr__ = lazily(
    __name__,
    {
        "columns": "NBest",
        "formats": "FORMATS NBestFormat written",
        "reading": "NBestFile count_lists read_lists",
        "record": "NBestList",
        "results": "lists_of",
        "scores": "ScoreMeaning",
    },
)
