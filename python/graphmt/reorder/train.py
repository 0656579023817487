"""From an aligned corpus to a reordering model."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping
from typing import Any

from graphmt import _core
from graphmt.progress import phases
from graphmt.records import from_core
from graphmt.reorder.options import ReorderOptions
from graphmt.storage.files import AnyPath

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Scores:
    """The quality of a model on examples.

    Examples
    --------
    >>> from graphmt.reorder import train_reordering
    >>> report = train_reordering("tokens.de", "corpus/train.en", "corpus/train.align", "reorder.bin")
    >>> report.training.straight <= report.training.examples
    True
    """

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
    """The report of training a reordering model.

    Examples
    --------
    >>> from graphmt.reorder import train_reordering
    >>> report = train_reordering("tokens.de", "corpus/train.en", "corpus/train.align", "reorder.bin")
    >>> report.pairs
    200
    """

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
    """Two adjacent blocks by their end words (first and last of the source, first and last of the target side).

    Examples
    --------
    >>> from graphmt.reorder import list_examples
    >>> one = list_examples("tokens.de", "corpus/train.en", "corpus/train.align")[0]
    >>> len(one.left), one.straight
    (4, True)
    """

    left: tuple[str, str, str, str]
    right: tuple[str, str, str, str]
    straight: bool


def train_reordering(
    source: AnyPath,
    target: AnyPath,
    alignment: AnyPath,
    out: AnyPath,
    options: ReorderOptions | Mapping[str, Any] | None = None,
) -> ReorderReport:
    """Train the reordering model of btg on tokenised, aligned text, and write it whole or not at all.

    Examples are the adjacent blocks of the corpus (Xiong et al. 2006, section 3.2); the classifier is a logistic
    regression over their boundary words (section 3.3). Needs about 220 bytes of memory for each of
    ``options.max_examples``, and half as much without conjunctions.

    Parameters
    ----------
    source
        Tokenised source side.
    target
        Tokenised target side.
    alignment
        Links, one line per pair.
    out
        The file to write.
    options
        Which blocks are examples, and how the classifier is trained.

    Returns
    -------
    ReorderReport
        Counts, and the quality on training and held-out examples.

    Raises
    ------
    InputError
        If the files differ in length.

    Examples
    --------
    >>> from graphmt.reorder import ReorderingModel, train_reordering
    >>> report = train_reordering("tokens.de", "corpus/train.en", "corpus/train.align", "reorder.bin")
    >>> ReorderingModel("reorder.bin").about["bytes"] > 0
    True
    """
    options = ReorderOptions.of(options)
    with phases() as report:
        files = _core.CorpusFiles(source, target, alignment)
        made = _core.train_reordering(files, out, options, progress=report)
    training, held_out = from_core(Scores, made.training), from_core(Scores, made.held_out)
    result = from_core(ReorderReport, made, training=training, held_out=held_out)
    if not result.converged:
        log.warning(f"The reordering model was still improving after {result.iterations} iterations.")
    return result


def list_examples(
    source: AnyPath, target: AnyPath, alignment: AnyPath, options: ReorderOptions | Mapping[str, Any] | None = None
) -> list[Example]:
    """List every example of a corpus, pair by pair: for inspecting small corpora.

    Parameters
    ----------
    source
        Tokenised source side.
    target
        Tokenised target side.
    alignment
        Links, one line per pair.
    options
        Which blocks are examples.

    Returns
    -------
    list[Example]
        The examples.

    Examples
    --------
    >>> from graphmt.reorder import list_examples
    >>> list_examples("tokens.de", "corpus/train.en", "corpus/train.align")[0].straight
    True
    """
    options = ReorderOptions.of(options)
    listed = _core.list_reordering(_core.CorpusFiles(source, target, alignment), options)
    return [Example(_ends(one.left), _ends(one.right), one.straight) for one in listed]


def _ends(block: _core.BlockEnds) -> tuple[str, str, str, str]:
    return block.source_first, block.source_last, block.target_first, block.target_last
