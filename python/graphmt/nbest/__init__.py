"""N-best lists: the record, the formats in which they are read and written, and columns for tuning."""

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
