"""The figures of one corpus: scores with spread and significance, the paper's gains, ablations, rules by kind."""

from __future__ import annotations

from typing import Any

from graphmt.evaluate import Compared, Comparison, EvaluateOptions, compare, read_output, read_text
from graphmt.evaluate.compare import difference
from graphmt.evaluate.report import read_curve, write_report
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.recipe import Recipe
from graphmt.experiments.tuner import UNTUNED
from graphmt.files import digest, lines

KINDS = ("basic", "segmenting", "selecting")


def score(run: CorpusRun, recipe: Recipe, rules: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Score every arm and write the report of those that the main table has."""
    # Text and model output have their tokens already, and both are in lower case.
    options = EvaluateOptions(metrics=recipe.metrics, tokenise="none", trials=run.options.trials)
    outputs = {
        (arm.name, seed): run.run_folder(arm, seed) / "test.jsonl.gz" for arm in recipe.arms for seed in run.seeds()
    }
    request = {
        "recipe": recipe.as_dict(),
        "outputs": {f"{name}-{seed}": digest(path) for (name, seed), path in outputs.items()},
        "references": digest(run.text["test"]),
        "options": {**options.as_dict(), "meteor": None},
    }
    report = run.folder / "report.html"

    def work() -> dict[str, Any]:
        reference = (str(run.text["test"]), read_text(run.text["test"]))
        systems = [
            Compared(arm.name, tuple(read_output(outputs[arm.name, seed], tokens=True) for seed in run.seeds()))
            for arm in recipe.arms
        ]
        whole = compare(systems, [reference], options)
        _report(run, recipe, whole.without(recipe.aside))
        return {**whole.as_dict(), "claims": _claims(whole, recipe, run), "ablations": _ablations(whole, recipe)}

    figures = run.step("scores", request, [report], work)
    return {
        "languages": run.files.languages,
        "data": run.data,
        "pairs": {part: _count(run, part) for part in run.text},
        "rules": rules,
        **figures,
    }


def _claims(whole: Comparison, recipe: Recipe, run: CorpusRun) -> list[dict[str, Any]]:
    found = []
    for claim in recipe.claims:
        gains = difference(whole, claim.arm, claim.over)
        paper = claim.gain.get(run.files.languages)
        found.append({"arm": claim.arm, "over": claim.over, "paper": paper, "gains": gains})
    return found


def _ablations(whole: Comparison, recipe: Recipe) -> list[dict[str, Any]]:
    found = []
    for ablation in recipe.ablations:
        base = ablation.rows[0][1]
        rows = [
            {"label": label, "arm": arm, "gains": difference(whole, arm, base) if arm != base else None}
            for label, arm in ablation.rows
        ]
        found.append({"title": ablation.title, "rows": rows})
    return found


def _report(run: CorpusRun, recipe: Recipe, main: Comparison) -> None:
    curves = {}
    if run.method != UNTUNED:
        for arm in recipe.arms:
            log = run.run_folder(arm, run.seeds()[0]) / "tune.jsonl"
            if arm.name not in recipe.aside and log.stat().st_size:
                curves[arm.name] = read_curve(log)
    source = run.files.source["test"]
    write_report(
        run.folder / "report.html",
        main,
        title=f"{recipe.name}: {run.files.name}",
        source=(str(source), read_text(source)),
        curves=curves,
        facts={name: f"SHA-256 {value}" for name, value in run.data.items()},
    )


def _count(run: CorpusRun, part: str) -> int:
    return sum(1 for _ in lines(run.text[part]))
