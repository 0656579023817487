"""The aligners by name, and their interface.

A class is imported only when its model is used, so optional libraries are needed only by their users.
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
from graphmt.errors import OptionError
from graphmt.progress import Advance

Choices = npt.NDArray[np.int32]

#: The module and class of each model, imported on first use.
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
        """The longest sentence that the library accepts."""

    @property
    @abstractmethod
    def library(self) -> str:
        """Name and version of the library."""

    @abstractmethod
    def align(self, job: Job, advance: Advance) -> tuple[Alignment, Alignment]:
        """Forward (each target word linked to at most one source word) and reverse links, both source-target.

        ``advance`` is called with thousandths done.
        """

    def train(self, job: Job, folder: Path, advance: Advance) -> None:
        """Train models of both directions on a text and save them in a folder."""
        raise self._not_saved()

    def apply(self, job: Job, folder: Path, advance: Advance) -> tuple[Alignment, Alignment]:
        """As :meth:`align`, with the saved models."""
        raise self._not_saved()

    def search(self, folder: Path, source: list[str], target: list[str]) -> tuple[Choices, Choices]:
        """What the saved models choose for lines of word numbers, none of them empty, in this process.

        Forward: for every word of the target, the position in the source or -1; then reverse. The models are read
        at the first call.
        """
        raise self._not_saved()

    def _not_saved(self) -> OptionError:
        return OptionError(
            f"the model {self.options.model} cannot be trained on a sample and applied to other text.",
            hint="Choose another model, such as thot-eflomal.",
        )


def make_aligner(options: AlignOptions) -> Aligner:
    """The aligner selected by the options."""
    module, name = _CLASSES[options.model].split(":")
    made: Aligner = getattr(importlib.import_module(module), name)(options)
    return made
