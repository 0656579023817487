"""The models by name, and what each has to do.

A class is imported when its model is asked for, so an optional library is needed by its users only.
"""

from __future__ import annotations

import dataclasses
import importlib
from abc import ABC, abstractmethod
from pathlib import Path

import numpy as np
import numpy.typing as npt

from graphmt._core import Alignment
from graphmt.align.options import NAMES, AlignOptions
from graphmt.progress import Advance

#: Where the class of a model is; it is imported when it is used.
_CLASSES = dict.fromkeys(NAMES, "graphmt.align.thot:ThotAligner")
_CLASSES["eflomal"] = "graphmt.align.eflomal:EflomalAligner"


@dataclasses.dataclass(frozen=True)
class Job:
    """A text to align: two files of word numbers, no line of them empty, and a folder to work in."""

    source: Path
    target: Path
    source_lengths: npt.NDArray[np.uint32]
    target_lengths: npt.NDArray[np.uint32]
    folder: Path


class Aligner(ABC):
    """Aligns a text in both directions."""

    def __init__(self, options: AlignOptions) -> None:
        self.options = options

    @property
    @abstractmethod
    def max_length(self) -> int:
        """The longest sentence that the library takes."""

    @property
    @abstractmethod
    def library(self) -> str:
        """Name and version of what does the work."""

    @abstractmethod
    def align(self, job: Job, advance: Advance) -> tuple[Alignment, Alignment]:
        """Forward (each target word linked to at most one source word) and reverse links, both source-target.

        ``advance`` is called with thousandths done.
        """


def make_aligner(options: AlignOptions) -> Aligner:
    """The aligner that the options name."""
    module, name = _CLASSES[options.model].split(":")
    made: Aligner = getattr(importlib.import_module(module), name)(options)
    return made
