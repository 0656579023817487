"""Training: from a parallel corpus to a model folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.training.options import SidesOptions, TrainOptions
    from graphmt.training.pipeline import train

__all__ = ["SidesOptions", "TrainOptions", "train"]

__getattr__ = lazily(
    __name__,
    {
        "options": "SidesOptions TrainOptions",
        "pipeline": "train",
    },
)
