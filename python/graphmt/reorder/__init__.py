"""The maximum-entropy reordering model of BTG (Xiong, Liu and Lin 2006)."""

from graphmt.reorder.model import Block, ReorderingModel
from graphmt.reorder.options import ReorderOptions
from graphmt.reorder.train import Example, ReorderReport, Scores, list_examples, train_reordering

__all__ = [
    "Block",
    "Example",
    "ReorderOptions",
    "ReorderReport",
    "ReorderingModel",
    "Scores",
    "list_examples",
    "train_reordering",
]
