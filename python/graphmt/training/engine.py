"""What runs the stages of training that a cluster can run: this machine, or another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from graphmt import lm
from graphmt.align import AlignOptions
from graphmt.align.step import Outputs, align_files
from graphmt.rules import ExtractOptions, ExtractReport, extract_rules
from graphmt.storage.files import AnyPath
from graphmt.systems import System


class Engine(Protocol):
    """Runs stages of training; the files are the same as those of :class:`LocalEngine`.

    ``work`` is a folder of the run, where an engine may keep intermediate results.

    Examples
    --------
    >>> from graphmt.training.engine import Engine, LocalEngine
    >>> engine: Engine = LocalEngine()
    """

    def align(
        self, source: AnyPath, target: AnyPath, outputs: Outputs, options: AlignOptions, *, work: Path
    ) -> dict[str, Any]:
        """As :func:`graphmt.align.step.align_files` without regard to existing outputs."""

    def extract_rules(
        self,
        system: System,
        source: AnyPath,
        target: AnyPath,
        alignment: AnyPath,
        out: AnyPath,
        *,
        trees: AnyPath | None,
        options: ExtractOptions,
        work: Path,
    ) -> ExtractReport:
        """As :func:`graphmt.rules.extract_rules`."""

    def train_lm(self, text: AnyPath, out: AnyPath, options: lm.LmOptions, *, work: Path) -> None:
        """As :func:`graphmt.lm.train`."""


class LocalEngine:
    """Runs everything on this machine.

    Examples
    --------
    >>> from graphmt.training.engine import LocalEngine
    >>> engine = LocalEngine()
    """

    def align(
        self, source: AnyPath, target: AnyPath, outputs: Outputs, options: AlignOptions, *, work: Path
    ) -> dict[str, Any]:
        """Align the words of a corpus."""
        return align_files(source, target, outputs, options, overwrite=True) or {}

    def extract_rules(
        self,
        system: System,
        source: AnyPath,
        target: AnyPath,
        alignment: AnyPath,
        out: AnyPath,
        *,
        trees: AnyPath | None,
        options: ExtractOptions,
        work: Path,
    ) -> ExtractReport:
        """Extract the rules of a corpus."""
        return extract_rules(system, source, target, alignment, out, trees=trees, options=options)

    def train_lm(self, text: AnyPath, out: AnyPath, options: lm.LmOptions, *, work: Path) -> None:
        """Estimate a language model."""
        lm.train([text], out, options)
