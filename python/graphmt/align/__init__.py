"""Word alignment: models by libraries, symmetrisation, alignment files, error rate, lexical tables.

>>> from graphmt.align import AlignOptions, align
>>> aligned = align(["das Haus", "das Buch"], ["the house", "the book"], AlignOptions(threads=1))
>>> len(aligned.alignment)
2
"""

from graphmt._core import Alignment, symmetrise
from graphmt.align.error_rate import AlignmentScore, score
from graphmt.align.lexical import LexicalTable
from graphmt.align.options import AlignOptions
from graphmt.align.pharaoh import read_alignment, write_alignment
from graphmt.align.run import Aligned, align

__all__ = [
    "AlignOptions",
    "Aligned",
    "Alignment",
    "AlignmentScore",
    "LexicalTable",
    "align",
    "read_alignment",
    "score",
    "symmetrise",
    "write_alignment",
]
