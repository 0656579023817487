"""Word alignment: models by libraries, symmetrisation, alignment files, error rate, lexical tables.

>>> from graphmt.align import AlignOptions, align
>>> aligned = align(["das Haus", "das Buch"], ["the house", "the book"], AlignOptions(threads=1))
>>> len(aligned.alignment)
2
"""

from graphmt._core import Alignment, symmetrise
from graphmt.align.aligned import Aligned
from graphmt.align.error_rate import AlignmentScore, score
from graphmt.align.lexical import LexicalTable
from graphmt.align.options import AlignOptions
from graphmt.align.pharaoh import read_alignment, write_alignment
from graphmt.align.run import align
from graphmt.align.trained import TrainedAligner, train_aligner

__all__ = [
    "AlignOptions",
    "Aligned",
    "Alignment",
    "AlignmentScore",
    "LexicalTable",
    "TrainedAligner",
    "align",
    "read_alignment",
    "score",
    "symmetrise",
    "train_aligner",
    "write_alignment",
]
