"""The maximum-entropy reordering model of BTG (Xiong, Liu and Lin 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
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

__getattr__ = lazily(
    __name__,
    {
        "model": "Block ReorderingModel",
        "options": "ReorderOptions",
        "train": "Example ReorderReport Scores list_examples train_reordering",
    },
)
