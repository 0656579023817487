"""Training: from a parallel corpus to a model folder."""

from graphmt.training.options import SidesOptions, TrainOptions
from graphmt.training.pipeline import train

__all__ = ["SidesOptions", "TrainOptions", "train"]
