"""The result of an experiment as Markdown: the paper's tables, and what reproduces them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphmt.evaluate.movement import FAR
from graphmt.evaluate.score_rows import TESTS, signed
from graphmt.experiments.recipe import KINDS, Recipe
from graphmt.reprs import counted

#: The tests of a difference, in the order of :class:`graphmt.evaluate.comparison.Gain`.
RANDOMISED = ("runs", "sentences")


def markdown(recipe: Recipe, result: dict[str, Any]) -> str:
    """All tables of an experiment."""
    options = result["options"]
    tuned = "untuned" if options["tuner"] == "untuned" else f"{options['tuner']} × {counted(options['seeds'], 'seed')}"
    paper = f"{recipe.paper}.\n\n" if recipe.paper else ""
    parts = [f"# {recipe.name}\n\n{paper}Tuning: {tuned}. Scores are means over the runs ± their standard "]
    parts.append(
        "deviation, on tokens in lower case. p (sentences): approximate randomisation over sentences, where all runs "
        "of a sentence change sides together; p (runs): over all runs (Clark et al. 2011).\n"
    )
    seen: set[str] = set()
    for name, corpus in result["corpora"].items():
        parts.append(f"\n## {name}\n")
        parts.append(_scores(recipe, corpus))
        if recipe.claims:
            parts.append(_claims(corpus))
        parts += [_ablation(corpus, ablation) for ablation in corpus["ablations"]]
        # Rules are those of training, whatever the test set.
        if recipe.rule_shares is not None and corpus["corpus"] not in seen:
            parts.append(_rules(recipe, corpus))
        if recipe.movement:
            parts.append(_movement(corpus))
        seen.add(corpus["corpus"])
    parts.append(_reproduce(recipe, result))
    return "".join(parts)


def _scores(recipe: Recipe, corpus: dict[str, Any]) -> str:
    names = [arm.name for arm in recipe.arms if arm.name not in recipe.ablation_only]
    metrics = corpus["scores"]
    main = metrics[0]["metric"]
    head = ["system", *(scores["metric"] for scores in metrics), f"{main} over {names[0]}"]
    tests = _tests(corpus)
    head += [*(TESTS[test] for test in tests), f"{main} of the runs"]
    rows = []
    for name in names:
        of = [next(s for s in scores["systems"] if s["system"] == name) for scores in metrics]
        gain = "–" if of[0]["difference"] is None else signed(of[0]["difference"])
        runs = ", ".join(f"{value:.2f}" for value in of[0]["runs"])
        rows.append([name, *(_mean(one) for one in of), gain, *(_p(of[0]["p"].get(test)) for test in tests), runs])
    signatures = "".join(f"- `{scores['signature']}`\n" for scores in metrics)
    return f"\n{_table(head, rows)}\n{signatures}"


def _claims(corpus: dict[str, Any]) -> str:
    metrics = [scores["metric"] for scores in corpus["scores"]]
    tests = _tests(corpus)
    head = ["gain", *metrics, *(f"p ({test}, {metrics[0]})" for test in tests), "the paper's BLEU"]
    rows = []
    for claim in corpus["claims"]:
        gains = [claim["gains"][metric] for metric in metrics]
        # With as many digits as the paper prints, which is one or two.
        paper = "–" if claim["paper"] is None else f"{claim['paper']:+.2f}".removesuffix("0")
        label = f"{claim['arm']} over {claim['over']}"
        rows.append([label, *(signed(gain) for gain, *_ in gains), *_ps(gains[0], tests), paper])
    return f"\n### Beside the paper ({corpus['languages']})\n\n{_table(head, rows)}"


def _ablation(corpus: dict[str, Any], ablation: dict[str, Any]) -> str:
    main, tests = corpus["scores"][0], _tests(corpus)
    rows = []
    for row in ablation["rows"]:
        score = next(s for s in main["systems"] if s["system"] == row["arm"])
        gain = row["gains"][main["metric"]] if row["gains"] else (None, None, None)
        rows.append([row["label"], _mean(score), "–" if gain[0] is None else signed(gain[0]), *_ps(gain, tests)])
    over = f"over {ablation['rows'][0]['label']}"
    head = [ablation["varied"], main["metric"], over, *(TESTS[test] for test in tests)]
    return f"\n### {ablation['title']}\n\n{_table(head, rows)}"


def _rules(recipe: Recipe, corpus: dict[str, Any]) -> str:
    shares = recipe.rule_shares
    if shares is None:
        return ""
    rows = []
    for system, counts in corpus["rules"].items():
        total = sum(counts.get(kind, 0) for kind in KINDS) or 1
        cells = [f"{n:,} ({100 * n / total:.1f} %)" if (n := counts.get(kind, 0)) else "–" for kind in KINDS]
        rows.append([system, *cells])
    rows.append(["the paper's gbmt-ctx", *(shares.paper[kind] for kind in KINDS)])
    return f"\n### Distinct rules by kind\n\n{_table(['system', *KINDS], rows)}"


def _movement(corpus: dict[str, Any]) -> str:
    head = ["system", "pieces joined without a rule", "words jumped over", "longest jump"]
    head.append(f"sentences with a jump over more than {FAR} words")
    rows = [
        [name, f"{of['joined']:.2f}", f"{of['moved']:.2f}", f"{of['longest']:.2f}", f"{100 * of['far']:.1f} %"]
        for name, of in corpus["movement"].items()
    ]
    return f"\n### Word order, a sentence (first runs)\n\n{_table(head, rows)}"


def _reproduce(recipe: Recipe, result: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    options = ", ".join(f"{name} {value}" for name, value in result["options"].items())
    parts = [f"\n## What reproduces this\n\n- `{result['command']}`\n- {versions}\n- options: {options}\n"]
    if result["features"]:
        rows = [[f"`{function}`", f"`{value}`"] for function, value in result["features"].items()]
        parts.append(f"\n{_table(['feature', 'SHA-256 of its file'], rows)}")
    for name, corpus in {corpus["corpus"]: corpus for corpus in result["corpora"].values()}.items():
        sizes = " / ".join(f"{count:,}" for count in corpus["pairs"].values())
        parts.append(f"\n{name}: {sizes} pairs ({' / '.join(corpus['pairs'])})\n\n")
        parts.append(
            _table(["file", "SHA-256"], ([f"`{file}`", f"`{value}`"] for file, value in corpus["data"].items()))
        )
    return "".join(parts)


def _mean(system: dict[str, Any]) -> str:
    spread = system["spread"]
    return f"{system['mean']:.2f}" + ("" if spread is None else f" ± {spread:.2f}")


def _tests(corpus: dict[str, Any]) -> list[str]:
    """The tests of this corpus' differences: over runs only where a system has several."""
    several = any(len(system["runs"]) > 1 for system in corpus["scores"][0]["systems"])
    return [test for test in RANDOMISED if several or test != "runs"]


def _ps(gain: Sequence[float | None], tests: Sequence[str]) -> list[str]:
    by_test = dict(zip(RANDOMISED, gain[1:], strict=True))
    return [_p(by_test[test]) for test in tests]


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
