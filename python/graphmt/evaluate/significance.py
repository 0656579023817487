"""Significance tests: approximate randomisation over sentences and over tuning runs, and sacreBLEU's paired bootstrap.

The comparison over several runs follows Clark et al. (2011, "Better hypothesis testing for statistical
machine translation") and their program multeval: a system is several runs of its tuner, and three sources of variance
are distinguished: the choice of test sentences (bootstrap within a run), the tuner (spread of the runs), and chance
(stratified approximate randomisation: within each sentence, the translations of all runs of both systems are shuffled).

Runs of one system translate a sentence alike, so that shuffling them counts the same evidence several times: the test
tells whether a difference on these sentences is due to the tuner. Whether other sentences would have it is the question
of the test over sentences, where all runs of a sentence change sides together. With one run each, the two are the same.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from sacrebleu.significance import PairedTest, estimate_ci

from graphmt import _core
from graphmt.evaluate.metrics import Metric, Rows, SacreMetric
from graphmt.evaluate.options import EvaluateOptions

#: Differences closer than this count as equal.
_SAME = 1e-9
#: Number of scores that are kept: where few sentences differ, most draws have sums that came up before.
_KEPT = 2**14


def bootstrap(metric: Metric, rows: Rows, samples: int, seed: int) -> npt.NDArray[np.float64]:
    """The scores of texts of the same length, drawn from the sentences with replacement."""
    sentences = len(rows)
    draws = np.random.default_rng(seed).integers(sentences, size=(samples, sentences))
    counts = np.stack([np.bincount(draw, minlength=sentences) for draw in draws])
    return np.array([metric.score(summed) for summed in counts @ rows])


def resampled_signature(metric: Metric, options: EvaluateOptions) -> str:
    """The signature of a score with its confidence; sacreBLEU has the resampling after the number of references."""
    return re.sub(r"(nrefs:[^|]+)", rf"\1|bs:{options.samples}|seed:{options.seed}", metric.signature, count=1)


def confidence(runs: Sequence[npt.NDArray[np.float64]]) -> tuple[float, float]:
    """Mean and half the 95 % confidence interval of resampled scores, as sacreBLEU has them; means of the runs."""
    means, halves = np.mean([estimate_ci(scores) for scores in runs], axis=0)
    return float(means), float(halves)


def three_way(
    metrics: Sequence[Metric],
    base: Mapping[str, Sequence[Rows]],
    other: Mapping[str, Sequence[Rows]],
    trials: int,
    seed: int,
) -> dict[str, float]:
    """p-values by metric, of the difference of two systems' mean scores over their runs.

    ``base`` and ``other`` hold, by the name of the metric, the rows of each run. With one run each this is the plain
    approximate randomisation test (Riezler and Maxwell 2005), and exact if all swaps of the sentences that differ are
    no more than the trials.
    """
    runs = len(base[metrics[0].name])
    # All metrics use the same shuffles: their columns are concatenated.
    joined = [np.hstack([side[m.name][run] for m in metrics]) for side in (base, other) for run in _runs(side, metrics)]
    pool = np.stack(joined)
    widths = np.cumsum([base[m.name][0].shape[1] for m in metrics])[:-1]

    known = [_Scorer(metric) for metric in metrics]

    def differences(sums: npt.NDArray[np.float64]) -> list[float]:
        found = []
        for scorer, columns in zip(known, np.split(sums, widths, axis=1), strict=True):
            scores = [scorer.score(counts) for counts in columns]
            found.append(abs(float(np.mean(scores[:runs]) - np.mean(scores[runs:]))))
        return found

    real = differences(pool.sum(1))
    swapped = _all_swaps(pool, trials)
    drawn = _core.shuffled_sums(pool, trials, seed) if swapped is None else swapped
    chance = np.array([differences(sums) for sums in drawn])
    # Among drawn shuffles the real sides count as one more; among all swaps they are there already.
    extra = int(swapped is None)
    reached = (chance >= np.array(real) - _SAME).sum(0)
    return {m.name: float((reached[k] + extra) / (len(chance) + extra)) for k, m in enumerate(metrics)}


def _all_swaps(pool: Rows, most: int) -> npt.NDArray[np.float64] | None:
    """The sums of two runs by each way to swap sentences that differ; None for more runs or more than ``most`` ways."""
    if len(pool) != 2:
        return None
    first, second = pool
    change = (second - first)[(first != second).any(1)]
    if 2 ** len(change) > most:
        return None
    swaps = np.arange(2 ** len(change))[:, None] >> np.arange(len(change)) & 1
    moved = swaps @ change
    return np.stack([first.sum(0) + moved, second.sum(0) - moved], axis=1)


def mean_run(side: Mapping[str, Sequence[Rows]]) -> Mapping[str, Sequence[Rows]]:
    """A side of :func:`three_way` with one run, the mean counts of each sentence: its runs change sides together."""
    return {name: [np.mean(runs, axis=0)] for name, runs in side.items()}


def paired_bootstrap(
    named: Sequence[tuple[str, Sequence[str]]],
    metrics: Sequence[Metric],
    options: EvaluateOptions,
) -> dict[str, dict[str, float]]:
    """sacreBLEU's paired bootstrap of each text against the first: p by metric and name of the text.

    Without METEOR, which is not part of sacreBLEU. For texts with equal scores p is 1: sacreBLEU counts only larger
    differences, and would call a difference of 0 significant.
    """
    own = {metric.name: _Sums(metric) for metric in metrics if isinstance(metric, SacreMetric)}
    if not own:
        return {}
    with _seeded(options.seed):
        tested: Any = PairedTest(list(named), cast(Any, own), None, test_type="bs", n_samples=options.samples)()[1]
    found = {}
    for metric in own:
        base, *others = tested[metric]
        found[metric] = {
            name: 1.0 if other.score == base.score else float(other.p_value)
            for (name, _), other in zip(named[1:], others, strict=True)
        }
    return found


class _Score(NamedTuple):
    """As much of sacreBLEU's scores as its tests use."""

    name: str
    score: float


class _Scorer:
    """A metric that remembers scores."""

    def __init__(self, metric: Metric) -> None:
        def compute(counts: bytes, kind: str) -> float:
            return metric.score(np.frombuffer(counts, kind))

        self._computed = functools.lru_cache(_KEPT)(compute)

    def score(self, counts: npt.NDArray[Any]) -> float:
        """The score of summed counts."""
        return self._computed(counts.tobytes(), counts.dtype.str)


class _Sums(_Scorer):
    """A metric as sacreBLEU's tests use it: the counts of each text are made once, those of TER in the core."""

    def __init__(self, metric: SacreMetric) -> None:
        super().__init__(metric)
        self._metric = metric
        self._rows: dict[tuple[str, ...], Rows] = {}

    def _extract_corpus_statistics(self, hypotheses: Sequence[str], _: object) -> Rows:
        text = tuple(hypotheses)
        if text not in self._rows:
            self._rows[text] = self._metric.rows(text)
        return self._rows[text]

    def _aggregate_and_compute(self, counts: npt.NDArray[Any]) -> _Score:
        # In order, as sacreBLEU adds them.
        return self._compute_score_from_stats(counts.cumsum(0)[-1])

    def _compute_score_from_stats(self, summed: npt.NDArray[Any]) -> _Score:
        return _Score(self._metric.name, self.score(summed))

    def get_signature(self) -> Any:
        """sacreBLEU's signature."""
        return self._metric.made.get_signature()


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """sacreBLEU takes its seed from the environment only."""
    name = "SACREBLEU_SEED"
    before = os.environ.get(name)
    os.environ[name] = str(seed)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _runs(side: Mapping[str, Sequence[Rows]], metrics: Sequence[Metric]) -> range:
    return range(len(side[metrics[0].name]))
