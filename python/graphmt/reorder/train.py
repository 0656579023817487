"""From an aligned corpus to a reordering model."""

from __future__ import annotations

import dataclasses
import logging
import os
from typing import Any

from graphmt import _core
from graphmt.progress import phases
from graphmt.reorder.options import ReorderOptions
from graphmt.storage.files import AnyPath

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Scores:
    """The quality of a model on examples."""

    examples: int
    straight: int
    #: Mean of ln p(order).
    log_likelihood: float
    #: Share of examples whose order is the more probable one.
    accuracy: float

    @property
    def inverted(self) -> int:
        """Examples that are not straight."""
        return self.examples - self.straight


@dataclasses.dataclass(frozen=True)
class ReorderReport:
    """The report of training a reordering model."""

    pairs: int
    #: Pairs skipped because a side is too long.
    too_long: int
    #: Examples found in the training part; ``training`` has the number of those kept.
    examples: int
    features: int
    iterations: int
    #: Whether optimisation converged before the maximum number of iterations.
    converged: bool
    training: Scores
    held_out: Scores


@dataclasses.dataclass(frozen=True)
class Example:
    """Two adjacent blocks by their end words (first and last of the source, first and last of the target side)."""

    left: tuple[str, str, str, str]
    right: tuple[str, str, str, str]
    straight: bool


def train_reordering(
    source: AnyPath,
    target: AnyPath,
    alignment: AnyPath,
    out: AnyPath,
    options: ReorderOptions | None = None,
) -> ReorderReport:
    """Train a model on tokenised, aligned text, and write it whole or not at all.

    Examples are the adjacent blocks of the corpus (Xiong et al. 2006, section 3.2); the classifier is a logistic
    regression over their boundary words (section 3.3). Needs about 220 bytes of memory for each of
    ``options.max_examples``, and half as much without conjunctions.
    """
    options = options or ReorderOptions()
    with phases() as report:
        made: dict[str, Any] = _core.train_reordering(
            (source, target, alignment),
            os.fspath(out),
            max_length=options.max_length,
            blocks=options.blocks,
            max_examples=options.max_examples,
            minimum=options.minimum_count,
            conjunctions=options.conjunctions,
            held_out=options.held_out,
            variance=options.variance,
            tolerance=options.tolerance,
            iterations=options.iterations,
            threads=options.threads,
            progress=report,
        )
    result = ReorderReport(**{**made, "training": Scores(**made["training"]), "held_out": Scores(**made["held_out"])})
    if not result.converged:
        log.warning(f"The reordering model was still improving after {result.iterations} iterations.")
    return result


def list_examples(
    source: AnyPath, target: AnyPath, alignment: AnyPath, options: ReorderOptions | None = None
) -> list[Example]:
    """Every example of a corpus, pair by pair: for inspecting small corpora."""
    options = options or ReorderOptions()
    listed = _core.list_reordering((source, target, alignment), options.max_length, options.blocks)
    return [Example(_ends(left), _ends(right), straight) for left, right, straight in listed]


def _ends(words: list[str]) -> tuple[str, str, str, str]:
    first, last, target_first, target_last = words
    return first, last, target_first, target_last
