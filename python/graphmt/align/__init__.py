"""Word alignment: models by libraries, symmetrisation, alignment files, error rate, lexical tables.

>>> from graphmt.align import AlignOptions, align
>>> aligned = align(["das Haus", "das Buch"], ["the house", "the book"], AlignOptions(threads=1))
>>> len(aligned.alignment)
2
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
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

__getattr__ = lazily(
    __name__,
    {
        "graphmt._core": "Alignment symmetrise",
        "aligned": "Aligned",
        "error_rate": "AlignmentScore score",
        "lexical": "LexicalTable",
        "options": "AlignOptions",
        "pharaoh": "read_alignment write_alignment",
        "run": "align",
        "trained": "TrainedAligner train_aligner",
    },
)
