"""Metrics: BLEU, chrF and TER by sacreBLEU, METEOR by its own program.

A metric turns every sentence into a row of counts; the score of a corpus is a function of their sum. Everything
else, resampling, shuffling, scores by sentence length, works on these rows.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from graphmt import _core
from graphmt.corpus.given import TARGET, given_texts, reference_streams
from graphmt.errors import InputError
from graphmt.evaluate.options import EvaluateOptions

log = logging.getLogger(__name__)

Rows = npt.NDArray[np.float64]

#: Number of lines ending in a separate full stop from which text counts as tokenised.
SPLIT_LINES = 100


class Metric(Protocol):
    """A metric with its references."""

    #: As tables print it.
    name: str
    lower_is_better: bool

    @property
    def signature(self) -> str:
        """The signature: everything that determines the score, in sacreBLEU's format."""

    def rows(self, hypotheses: Sequence[str]) -> Rows:
        """The counts of each sentence."""

    def score(self, counts: npt.NDArray[np.float64]) -> float:
        """The score of counts, of one sentence or summed over several."""


class SacreMetric:
    """One of sacreBLEU's metrics."""

    def __init__(self, name: str, made: Any, *, lower_is_better: bool = False) -> None:
        self.name, self.made = name, made
        self.lower_is_better = lower_is_better

    @property
    def signature(self) -> str:
        """sacreBLEU's signature."""
        return f"{self.name}|{self.made.get_signature()}"

    def rows(self, hypotheses: Sequence[str]) -> Rows:
        """The counts of each sentence."""
        # sacreBLEU has cached the references when the metric was created.
        return np.array(self.made._extract_corpus_statistics(hypotheses, None), dtype=np.float64)

    def score(self, counts: npt.NDArray[np.float64]) -> float:
        """The score of summed counts."""
        return float(self.made._compute_score_from_stats(counts).score)


class TerMetric(SacreMetric):
    """sacreBLEU's TER with edits counted in the core, with equal results in a fraction of the time."""

    def __init__(self, references: Sequence[Sequence[str]], *, lower: bool) -> None:
        super().__init__("TER", TER(case_sensitive=not lower, references=references), lower_is_better=True)
        columns = [[self._words(line) for line in column] for column in references]
        self.references = [list(own) for own in zip(*columns, strict=True)]

    def rows(self, hypotheses: Sequence[str]) -> Rows:
        """Edits, and the mean length of the references."""
        edits = _core.ter_edits([self._words(line) for line in hypotheses], self.references, threads=0)
        lengths = [sum(map(len, own)) / len(own) for own in self.references]
        return np.column_stack([edits.astype(np.float64), lengths])

    def _words(self, line: str) -> list[str]:
        words: list[str] = self.made._preprocess_segment(line).split()
        return words


def make_metrics(options: EvaluateOptions, references: Iterable[Any]) -> list[Metric]:
    """The selected metrics for a list of references, each as long as the text to be scored.

    Parameters
    ----------
    options
        Which metrics, and how text is tokenised.
    references
        One or more references, each a list of texts as long as the text to be scored; or the texts of one.

    Returns
    -------
    list[Metric]
        The metrics.

    Examples
    --------
    >>> from graphmt.evaluate import EvaluateOptions, make_metrics
    >>> [metric.name for metric in make_metrics(EvaluateOptions(), [["he sleeps ."]])]
    ['BLEU', 'chrF2', 'TER']
    """
    streams = reference_streams(references, None)
    return [_make(name, options, streams) for name in options.metrics]


def corpus_score(metric: Metric, hypotheses: Iterable[Any]) -> float:
    """The score of a whole text.

    Parameters
    ----------
    metric
        One of :func:`make_metrics`.
    hypotheses
        The translations.

    Returns
    -------
    float
        The score.

    Examples
    --------
    >>> from graphmt.evaluate import EvaluateOptions, corpus_score, make_metrics
    >>> [bleu] = make_metrics(EvaluateOptions(metrics=("bleu",)), [["he is sleeping now"]])
    >>> round(corpus_score(bleu, ["he is sleeping now"]))
    100
    """
    return metric.score(metric.rows(list(given_texts(hypotheses, "the translations", side=TARGET))).sum(0))


def sentence_scores(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], options: EvaluateOptions
) -> list[float]:
    """A score for each sentence by the metric ``options.rank_by``; BLEU with effective order."""
    lower, tokeniser = options.lowercase, options.tokenise
    made: Any = (
        BLEU(lowercase=lower, tokenize=tokeniser, effective_order=True, force=True, references=references)
        if options.rank_by == "bleu"
        else CHRF(lowercase=lower, references=references)
    )
    metric = SacreMetric(options.rank_by, made)
    return [metric.score(row) for row in metric.rows(hypotheses)]


def doubt_tokens(hypotheses: Sequence[str], options: EvaluateOptions) -> None:
    """Warn when tokenised text is about to be tokenised again."""
    split = sum(line.endswith(" .") for line in hypotheses)
    if "bleu" in options.metrics and options.tokenise != "none" and split >= SPLIT_LINES:
        log.warning(
            f"{split} lines end in a separate full stop: this text seems to be tokenised, and BLEU tokenises it "
            "again. Use --tokenise none if both sides are tokenised, or detokenise first."
        )


def check_lengths(files: Sequence[tuple[str, int]]) -> None:
    """Reject empty texts and texts with different numbers of lines."""
    for file, count in files:
        if count == 0:
            raise InputError("this file is empty; one sentence per line was expected.", file=file)
    if len({count for _, count in files}) > 1:
        counted = ", ".join(f"{file} has {count} lines" for file, count in files)
        raise InputError(f"{counted}.", hint="All must have the same sentences, line by line.")


def _make(name: str, options: EvaluateOptions, references: Sequence[Sequence[str]]) -> Metric:
    lower = options.lowercase
    if name == "bleu":
        made = BLEU(lowercase=lower, tokenize=options.tokenise, force=True, references=references)
        return SacreMetric("BLEU", made)
    if name == "chrf":
        return SacreMetric("chrF2", CHRF(lowercase=lower, references=references))
    if name == "ter":
        return TerMetric(references, lower=lower)
    from graphmt.evaluate.meteor import Meteor

    return Meteor(options, references)
