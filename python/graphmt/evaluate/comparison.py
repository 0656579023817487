"""Systems side by side: scores, spread, significance."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from graphmt.corpus.given import TARGET, given_texts, reference_streams
from graphmt.corpus.given.kinds import described
from graphmt.errors import InputError, OptionError
from graphmt.evaluate.metrics import Metric, Rows, check_lengths, doubt_tokens, make_metrics
from graphmt.evaluate.options import EvaluateOptions
from graphmt.evaluate.outputs import Compared, Output, from_translations
from graphmt.evaluate.score_rows import score_rows
from graphmt.evaluate.significance import (
    bootstrap,
    confidence,
    mean_run,
    paired_bootstrap,
    resampled_signature,
    three_way,
)
from graphmt.model import Translation
from graphmt.reprs import counted, shortened

#: A system in a test: the counts of each run, by metric.
Side = Mapping[str, Sequence[Rows]]


@dataclasses.dataclass(frozen=True)
class SystemScore:
    """A system's score by one metric.

    Examples
    --------
    >>> import graphmt
    >>> score = graphmt.compare({"new": ["he sleeps now ."]}, ["he sleeps now ."]).scores[0].systems[0]
    >>> score.system, round(score.mean)
    ('new', 100)
    """

    system: str
    runs: tuple[float, ...]
    mean: float
    #: Standard deviation over the runs; none for a single run.
    spread: float | None
    #: Standard deviation over resampled test sets, mean of the runs.
    sampling: float
    #: Mean and half the 95 % confidence interval over resampled test sets, as sacreBLEU's; means of the runs.
    confidence: tuple[float, float]
    #: Difference of the means to the baseline; none for the baseline itself.
    difference: float | None
    #: p-values of this difference by test (``bootstrap``, ``runs``, ``sentences``).
    p: dict[str, float]

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the 95 % confidence interval."""
        mean, half = self.confidence
        return mean - half, mean + half


@dataclasses.dataclass(frozen=True)
class MetricScores:
    """All systems by one metric.

    Examples
    --------
    >>> import graphmt
    >>> scores = graphmt.compare({"new": ["he sleeps now ."]}, ["he sleeps now ."]).scores[0]
    >>> scores.metric, scores.lower_is_better
    ('BLEU', False)
    """

    metric: str
    signature: str
    lower_is_better: bool
    systems: tuple[SystemScore, ...]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Systems, references and scores; the first system is the baseline.

    Examples
    --------
    >>> import graphmt
    >>> found = graphmt.compare({"new": ["he sleeps now ."]}, ["he sleeps now ."])
    >>> found.scores[0].metric, round(found.scores[0].systems[0].mean)
    ('BLEU', 100)
    """

    systems: tuple[Compared, ...]
    references: tuple[tuple[str, ...], ...]
    options: EvaluateOptions
    scores: tuple[MetricScores, ...]
    metrics: tuple[Metric, ...]
    #: The counts by metric, system, run.
    rows: dict[str, tuple[tuple[Rows, ...], ...]]

    def __repr__(self) -> str:
        scores = (f"{s.metric} {' '.join(f'{one.mean:.2f}' for one in s.systems)}" for s in self.scores)
        names = shortened(", ".join(system.name for system in self.systems))
        return f"Comparison({names!r}, {counted(len(self.references[0]), 'sentence')}; {', '.join(scores)})"

    def _repr_html_(self) -> str:
        """The systems by each metric, with confidence intervals and p-values."""
        from graphmt.draw.elements import element, joined
        from graphmt.draw.notebook import table

        several = any(len(system.runs) > 1 for system in self.systems)
        tables = (score_rows(scores, several) for scores in self.scores)
        signatures = (element("code", scores.signature) for scores in self.scores)
        return joined(
            [
                table(head, rows, texts=(0,), caption=signature)
                for (head, rows), signature in zip(tables, signatures, strict=True)
            ]
        )

    def as_dict(self) -> dict[str, Any]:
        """Scores and their signatures, as plain values."""
        return {
            "sentences": len(self.references[0]),
            "references": len(self.references),
            "baseline": self.systems[0].name,
            "systems": {system.name: [run.file for run in system.runs] for system in self.systems},
            "options": {
                name: None if value is None else value if isinstance(value, int | float | str) else str(value)
                for name, value in self.options.as_dict().items()
                if name != "metrics"
            },
            "scores": [dataclasses.asdict(scores) for scores in self.scores],
        }

    def without(self, names: Collection[str]) -> Comparison:
        """The same figures without some of the systems (never the baseline)."""
        kept = [k for k, system in enumerate(self.systems) if k == 0 or system.name not in names]
        return dataclasses.replace(
            self,
            systems=tuple(self.systems[k] for k in kept),
            scores=tuple(dataclasses.replace(s, systems=tuple(s.systems[k] for k in kept)) for s in self.scores),
            rows={metric: tuple(rows[k] for k in kept) for metric, rows in self.rows.items()},
        )


def compare(
    systems: Mapping[str, Iterable[Any]] | Sequence[Compared],
    references: Iterable[Any],
    options: EvaluateOptions | Mapping[str, Any] | None = None,
) -> Comparison:
    """Score systems against references, and test the others against the first.

    The test of every comparison is approximate randomisation over sentences. With several runs of any system, the
    three-way comparison over runs is added; with one run of each, sacreBLEU's paired bootstrap.

    Parameters
    ----------
    systems
        Translations by the name of their system, as texts or as a model returns them; or systems with several runs.
        The first is the baseline.
    references
        The sentences of the reference; or several references, as a list of texts for each (sacreBLEU's streams), or as
        name and sentences.
    options
        Metrics, tokenisation and tests.

    Returns
    -------
    Comparison
        Scores, standard deviations and p-values.

    Raises
    ------
    InputError
        If texts differ in length.
    OptionError
        If two systems have the same name.

    Examples
    --------
    >>> import graphmt
    >>> reference = ["he is sleeping now .", "she reads a book ."]
    >>> old, new = ["he sleeps .", "she reads a book ."], ["he is sleeping .", "she reads a book ."]
    >>> graphmt.compare({"old": old, "new": new}, reference)
    Comparison('old, new', 2 sentences; BLEU 63.34 73.58, chrF2 61.42 86.35, TER 30.00 10.00)
    """
    options = EvaluateOptions.of(options)
    systems = _compared(systems)
    references = _references(references, len(systems[0].runs[0].lines) if systems else None)
    if not systems or not references:
        raise OptionError("at least one system and one reference are needed.")
    names = [system.name for system in systems]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise OptionError(f"two systems have the name {double!r}.", hint="Give other names: NAME=FILE.")
    texts = [(run.file, len(run.lines)) for system in systems for run in system.runs]
    check_lengths([*texts, *((name, len(lines)) for name, lines in references)])
    doubt_tokens(systems[0].runs[0].lines, options)
    metrics = make_metrics(options, [list(lines) for _, lines in references])
    rows = {m.name: tuple(tuple(m.rows(run.lines) for run in s.runs) for s in systems) for m in metrics}
    tests = _tests(systems, metrics, rows, options)
    scores = tuple(
        MetricScores(
            metric.name,
            resampled_signature(metric, options),
            metric.lower_is_better,
            tuple(_scores(metric, systems, rows[metric.name], tests, options)),
        )
        for metric in metrics
    )
    plain = tuple(tuple(lines) for _, lines in references)
    return Comparison(tuple(systems), plain, options, scores, tuple(metrics), rows)


def _compared(systems: Mapping[str, Iterable[Any]] | Sequence[Compared]) -> Sequence[Compared]:
    """Translations by the name of their system, as systems with one run."""
    if isinstance(systems, Mapping):
        return [Compared(name, (_output(name, lines),)) for name, lines in systems.items()]
    if isinstance(systems, str) or not all(isinstance(one, Compared) for one in systems):
        raise InputError(
            f"{described(systems)}; translations by the name of their system were expected.",
            file="the systems",
            hint='For example {"old": [text, …], "new": [text, …]}.',
        )
    return systems


def _output(name: str, given: Iterable[Any]) -> Output:
    if isinstance(given, str):
        raise InputError(f"the translations of {name!r} are one text; a list of sentences was expected.")
    if isinstance(given, list | tuple) and given and all(isinstance(one, Translation) for one in given):
        return from_translations(name, given)
    return Output(name, tuple(given_texts(given, f"the translations of {name!r}", side=TARGET)))


def _references(given: Any, sentences: int | None) -> Sequence[tuple[str, Sequence[str]]]:
    """References with their names; sentences alone are one reference."""
    if isinstance(given, str):
        raise InputError("the reference is one text; a list of sentences was expected.")
    if isinstance(given, list | tuple) and given and all(map(_is_named, given)):
        return [(name, tuple(given_texts(lines, name, side=TARGET))) for name, lines in given]
    streams = reference_streams(given, sentences)
    if len(streams) == 1:
        return [("the reference", streams[0])] if streams[0] else []
    return [(f"reference {number}", stream) for number, stream in enumerate(streams, 1)]


def _is_named(one: Any) -> bool:
    return isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) and not isinstance(one[1], str)


class Gain(NamedTuple):
    """The difference of two systems' means by a metric, and its p-values."""

    difference: float
    #: Over all runs: whether the difference on these sentences is due to the tuner. None for single runs.
    p_runs: float | None
    #: Over sentences, whose runs change sides together: whether other sentences would have it.
    p_sentences: float


def difference(comparison: Comparison, system: str, over: str) -> dict[str, Gain]:
    """Difference of two systems' means, by metric."""
    places = {one.name: number for number, one in enumerate(comparison.systems)}
    base, other = ({metric: rows[places[name]] for metric, rows in comparison.rows.items()} for name in (over, system))
    tests = _randomised(comparison.metrics, base, other, comparison.options)
    means = {scores.metric: {one.system: one.mean for one in scores.systems} for scores in comparison.scores}
    return {
        metric: Gain(of[system] - of[over], tests.get("runs", {}).get(metric), tests["sentences"][metric])
        for metric, of in means.items()
    }


def _randomised(
    metrics: Sequence[Metric], base: Side, other: Side, options: EvaluateOptions
) -> dict[str, dict[str, float]]:
    """p of the difference of two systems, by test and metric: over sentences and, with several runs, over runs."""
    sides = {"sentences": (mean_run(base), mean_run(other))}
    if any(len(runs) > 1 for side in (base, other) for runs in side.values()):
        sides["runs"] = base, other
    return {test: three_way(metrics, *two, options.trials, options.seed) for test, two in sides.items()}


def _tests(
    systems: Sequence[Compared],
    metrics: Sequence[Metric],
    rows: dict[str, tuple[tuple[Rows, ...], ...]],
    options: EvaluateOptions,
) -> dict[str, dict[str, dict[str, float]]]:
    """p by test, metric and system."""
    if len(systems) < 2:
        return {}
    found: dict[str, dict[str, dict[str, float]]] = {}
    if all(len(system.runs) == 1 for system in systems):
        texts = [(system.name, list(system.runs[0].lines)) for system in systems]
        found["bootstrap"] = paired_bootstrap(texts, metrics, options)
    base, *others = [{name: of_metric[k] for name, of_metric in rows.items()} for k in range(len(systems))]
    for system, other in zip(systems[1:], others, strict=True):
        for test, by_metric in _randomised(metrics, base, other, options).items():
            for metric, p in by_metric.items():
                found.setdefault(test, {}).setdefault(metric, {})[system.name] = p
    return found


def _scores(
    metric: Metric,
    systems: Sequence[Compared],
    rows: Sequence[Sequence[Rows]],
    tests: dict[str, dict[str, dict[str, float]]],
    options: EvaluateOptions,
) -> list[SystemScore]:
    found: list[SystemScore] = []
    for system, of_runs in zip(systems, rows, strict=True):
        runs = tuple(metric.score(of_run.sum(0)) for of_run in of_runs)
        mean = float(np.mean(runs))
        resampled = [bootstrap(metric, of_run, options.samples, options.seed) for of_run in of_runs]
        known = {test: by_metric.get(metric.name, {}) for test, by_metric in tests.items()}
        found.append(
            SystemScore(
                system=system.name,
                runs=runs,
                mean=mean,
                spread=float(np.std(runs, ddof=1)) if len(runs) > 1 else None,
                sampling=float(np.mean([scores.std(ddof=1) for scores in resampled])),
                confidence=confidence(resampled),
                difference=mean - found[0].mean if found else None,
                p={test: p[system.name] for test, p in known.items() if system.name in p},
            )
        )
    return found
