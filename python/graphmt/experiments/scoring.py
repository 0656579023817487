"""The figures of one corpus: scores with significance, the paper's gains, ablations, rules by kind."""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from graphmt.draw.elements import Markup, element
from graphmt.draw.plot import Series, point_chart
from graphmt.errors import GraphmtError
from graphmt.evaluate import Compared, Comparison, EvaluateOptions, compare, read_output, read_text
from graphmt.evaluate.comparison import Gain, MetricScores, difference
from graphmt.evaluate.meteor import require_meteor
from graphmt.evaluate.movement import movement
from graphmt.evaluate.report import read_curve, write_report
from graphmt.experiments.corpora import HALVES, HELD_OUT
from graphmt.experiments.corpus_run import LOG, CorpusRun
from graphmt.experiments.recipe import Ablation, Arm, Recipe
from graphmt.experiments.tuner import UNTUNED
from graphmt.storage.files import digest, lines

log = logging.getLogger(__name__)

#: Differences and p-values by metric, of an arm over another.
Gains = Callable[[str, str], dict[str, Gain]]


def score(run: CorpusRun, recipe: Recipe, part: str, rules: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Score every arm on a part of the corpus, and write the report of those in the main table."""
    # Text and model output are both tokenised and in lower case.
    samples, trials = run.options.samples, run.options.trials
    language = run.files.target_language
    options = EvaluateOptions(recipe.metrics, "none", samples=samples, trials=trials, meteor_language=language)
    outputs = {(arm.name, seed): run.output(arm, seed, part) for arm in recipe.arms for seed in run.seeds()}
    request = {
        "recipe": recipe.as_dict(),
        "outputs": {f"{name}-{seed}": digest(path) for (name, seed), path in outputs.items()},
        "references": digest(run.text[part]),
        "options": {**options.as_dict(), "meteor": None},
        "figures": Gain._fields,
    }
    name = recipe.name if len(recipe.parts) == 1 else f"{recipe.name}.{part}"
    report = run.folder / f"{name}.html"

    def work() -> dict[str, Any]:
        reference = (str(run.text[part]), read_text(run.text[part]))
        systems = [_compared(run, arm, part, [outputs[arm.name, seed] for seed in run.seeds()]) for arm in recipe.arms]
        whole = compare(systems, [reference], options)
        gains = functools.cache(functools.partial(difference, whole))
        _report(run, recipe, part, whole, report)
        figures: dict[str, Any] = {"claims": _claims(recipe, run, gains), "ablations": _ablations(recipe, gains)}
        if recipe.movement:
            figures["movement"] = {system.name: _movement(system) for system in systems}
        return {**whole.as_dict(), **figures}

    figures = run.step(f"scores-{name}", request, [report], work)
    return {
        "corpus": run.files.name,
        "part": part,
        "languages": run.files.languages,
        "data": run.data,
        "pairs": {part: _count(run, part) for part in run.files.target},
        "rules": rules,
        **figures,
    }


def measurable(recipe: Recipe, languages: Iterable[str]) -> Recipe:
    """The recipe with those of its extra metrics whose programs are there for all languages.

    Programs that are missing are an error for its other metrics.
    """
    if "meteor" not in (*recipe.metrics, *recipe.extra_metrics):
        return recipe
    try:
        for language in languages:
            require_meteor(EvaluateOptions(meteor_language=language))
    except GraphmtError as error:
        if "meteor" in recipe.metrics:
            raise
        log.warning(f"Without METEOR: {error}")
        return dataclasses.replace(recipe, extra_metrics=())
    return dataclasses.replace(recipe, metrics=(*recipe.metrics, *recipe.extra_metrics), extra_metrics=())


def named(corpus: str, recipe: Recipe, part: str) -> str:
    """The name of a corpus in results; with that of the test set where there are several."""
    return corpus if len(recipe.parts) == 1 else f"{corpus}, {part}"


def _compared(run: CorpusRun, arm: Arm, part: str, outputs: Sequence[Path]) -> Compared:
    first, *others = (read_output(path, tokens=True) for path in outputs)
    explained = dataclasses.replace(first, explain=run.explainer(arm, run.seeds()[0], part))
    return Compared(arm.name, (explained, *others))


def _movement(system: Compared) -> dict[str, float]:
    """Reordering statistics of a system's first run."""
    return dataclasses.asdict(movement(system.runs[0].derivations))


def _claims(recipe: Recipe, run: CorpusRun, gains: Gains) -> list[dict[str, Any]]:
    found = []
    for claim in recipe.claims:
        paper = claim.gain.get(run.files.languages)
        found.append({"arm": claim.arm, "over": claim.over, "paper": paper, "gains": gains(claim.arm, claim.over)})
    return found


def _ablations(recipe: Recipe, gains: Gains) -> list[dict[str, Any]]:
    found = []
    for ablation in recipe.ablations:
        base = ablation.rows[0][1]
        rows = [
            {"label": label, "arm": arm, "gains": gains(arm, base) if arm != base else None}
            for label, arm in ablation.rows
        ]
        found.append({"title": ablation.title, "varied": ablation.varied, "rows": rows})
    return found


def _report(run: CorpusRun, recipe: Recipe, part: str, whole: Comparison, out: Path) -> None:
    curves = {}
    if run.method != UNTUNED:
        for arm in recipe.arms:
            # For held-out scores, the learning curve is that of one half.
            on = HALVES[0] if part == HELD_OUT else "dev"
            log = run.run_folder(arm, run.seeds()[0], on) / LOG
            if arm.name not in recipe.ablation_only and log.is_file() and log.stat().st_size:
                curves[arm.name] = read_curve(log)
    source = run.source[part]
    extra = [(ablation.title, _chart(ablation, whole.scores[0])) for ablation in recipe.ablations]
    write_report(
        out,
        whole.without(recipe.ablation_only),
        title=f"{recipe.name}: {named(run.files.name, recipe, part)}",
        source=(str(source), read_text(source)),
        curves=curves,
        extra=extra,
        facts={name: f"SHA-256 {value}" for name, value in run.data.items()},
    )


def _chart(ablation: Ablation, scores: MetricScores) -> Markup:
    """The scores of an ablation, with standard deviations over runs, or over resampled test sets for single runs."""
    by_arm = {system.system: system for system in scores.systems}
    shown = [by_arm[arm] for _, arm in ablation.rows]
    chart = point_chart(
        [
            Series(
                scores.metric,
                range(len(shown)),
                [system.mean for system in shown],
                [system.sampling if system.spread is None else system.spread for system in shown],
            )
        ],
        title=ablation.title,
        x_names=[label for label, _ in ablation.rows],
        y_label=scores.metric,
    )
    what = "resampled test sets" if shown[0].spread is None else "tuning runs"
    return element("figure", Markup(chart), element("figcaption", f"Bars show one standard deviation over {what}."))


def _count(run: CorpusRun, part: str) -> int:
    return sum(1 for _ in lines(run.text[part]))
