"""The aligners by name, and their interface.

A class is imported only when its model is used, so optional libraries are needed only by their users.
"""

from __future__ import annotations

import dataclasses
import importlib
from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from graphmt._core import Alignment, EncodedText
from graphmt.align.options import NAMES, AlignOptions
from graphmt.progress import Advance

#: The module and class of each model, imported on first use.
_CLASSES = dict.fromkeys(NAMES, "graphmt.align.thot:ThotAligner")
_CLASSES["eflomal"] = "graphmt.align.eflomal:EflomalAligner"
_CLASSES["gibbs"] = "graphmt.align.gibbs:GibbsAligner"

#: Samplers of the libraries, unless a number is given.
SAMPLERS = 2


@dataclasses.dataclass(frozen=True)
class Job:
    """A text to align."""

    source: EncodedText
    target: EncodedText
    #: Which of the pairs are aligned; neither side of those is empty or too long.
    kept: npt.NDArray[np.bool_]

    @property
    def source_lengths(self) -> npt.NDArray[np.uint32]:
        """The number of words of each kept source sentence."""
        return self.source.lengths()[self.kept]

    @property
    def target_lengths(self) -> npt.NDArray[np.uint32]:
        """The number of words of each kept target sentence."""
        return self.target.lengths()[self.kept]


class Aligner(ABC):
    """Aligns a text in both directions."""

    def __init__(self, options: AlignOptions) -> None:
        self.options = options

    @property
    @abstractmethod
    def max_length(self) -> int:
        """The longest sentence that the library accepts."""

    @property
    @abstractmethod
    def library(self) -> str:
        """Name and version of the library."""

    @abstractmethod
    def align(self, job: Job, advance: Advance) -> tuple[Alignment, Alignment]:
        """Forward (each target word linked to at most one source word) and reverse links, both source-target.

        There is an entry for each pair of the job; those not kept have no links.
        ``advance`` is called with thousandths done.
        """


def make_aligner(options: AlignOptions) -> Aligner:
    """The aligner selected by the options."""
    module, name = _CLASSES[options.model].split(":")
    made: Aligner = getattr(importlib.import_module(module), name)(options)
    return made
