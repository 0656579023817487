"""``graphmt evaluate`` and ``graphmt compare``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from graphmt.cli.display import note
from graphmt.cli.flags import with_options
from graphmt.cli.outputs import FILE
from graphmt.errors import OptionError
from graphmt.evaluate import Comparison, EvaluateOptions, compare, read_compared, read_output, read_text
from graphmt.evaluate.comparison import SystemScore
from graphmt.evaluate.outputs import Compared
from graphmt.evaluate.score_rows import TESTS, signed
from graphmt.options import MOST_THREADS
from graphmt.storage.checks import require_outputs
from graphmt.storage.files import digest

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@with_options(evaluate=EvaluateOptions)
def evaluate(
    hypothesis: Annotated[Path, typer.Argument(help="One translation per line; - is standard input.")],
    references: Annotated[list[Path], typer.Argument(metavar="REFERENCE...", help="Texts to score against.")],
    evaluate: EvaluateOptions,
    as_json: Json = False,
) -> None:
    """Score a translation: BLEU, chrF and TER by sacreBLEU, with the signatures that reproduce them; METEOR."""
    made = Compared(str(hypothesis), (read_output(hypothesis),))
    found = compare([made], [(str(path), read_text(path)) for path in references], evaluate)
    if as_json:
        print(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))
        return
    for scores in found.scores:
        system = scores.systems[0]
        print(f"{scores.signature} = {system.mean:.2f} ({_confidence(system)})")


@with_options(evaluate=EvaluateOptions)
def compare_systems(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]SYSTEM...",
            help="Output files (text, or .jsonl of translate --derivations json) or model folders; several tuning "
            "runs of a system separated by commas: A1,A2,A3. The first system is the baseline.",
        ),
    ],
    references: Annotated[list[Path], typer.Option("--references", "-r", help="Reference; repeat for several.")],
    evaluate: EvaluateOptions,
    source: Annotated[
        Path | None, typer.Option("--source", "-s", help="The source: text or CoNLL-U. Models translate it.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a self-contained HTML report."), FILE] = None,
    log: Annotated[
        list[str] | None, typer.Option(metavar="[NAME=]FILE", help="A tuner's log, for its learning curve.")
    ] = None,
    tokens: Annotated[bool, typer.Option("--tokens", help="Score the models' tokens, without detokenising.")] = False,
    title: Annotated[str, typer.Option(help="Heading of the report.")] = "Comparison of translations",
    threads: Annotated[int, typer.Option(min=0, max=MOST_THREADS, metavar="N", help="Threads; 0: one per core.")] = 0,
    as_json: Json = False,
) -> None:
    """Compare systems with the first: means, standard deviations and p-values; a report with examples."""
    from graphmt.evaluate.report import read_curve, write_report

    if len(systems) < 2:
        raise OptionError("comparing needs at least two systems.", hint="Use graphmt evaluate, or give another system.")
    runs = [run for given in systems for run in _named(given)[1].split(",")]
    require_outputs(report, inputs=[*runs, *(_named(given)[1] for given in log or [])])
    targets = [(str(path), read_text(path)) for path in references]
    made = [read_compared(given, source, tokens=tokens, threads=threads) for given in systems]
    curves = {name: read_curve(path) for name, path in map(_named, log or [])}
    found = compare(made, targets, evaluate)
    if as_json:
        print(json.dumps(found.as_dict(), ensure_ascii=False, indent=2))
    else:
        _print(found)
    if report is not None:
        sources = None if source is None else (str(source), read_text(source))
        paths = [*references, *([source] if source else [])]
        facts = {os.fspath(path): f"SHA-256 {digest(path)}" for path in paths}
        write_report(report, found, title=title, source=sources, curves=curves, facts=facts)
        note(f"Wrote the report to {report}.")


def _confidence(system: SystemScore) -> str:
    """As sacreBLEU prints it."""
    return "μ = {:.2f} ± {:.2f}".format(*system.confidence)


def _named(given: str) -> tuple[str, str]:
    name, equals, path = given.partition("=")
    return (name, path) if equals else (Path(given).stem, given)


def _print(found: Comparison) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    for scores in found.scores:
        tests = [test for test in TESTS if any(test in system.p for system in scores.systems)]
        several = any(system.spread is not None for system in scores.systems)
        shown = Table(title=scores.metric, title_justify="left", title_style="bold")
        for head in ("system", "score", *(["s(runs)"] if several else []), "95 % confidence", "difference"):
            shown.add_column(head, justify="left" if head == "system" else "right")
        for test in tests:
            shown.add_column(TESTS[test], justify="right")
        for system in scores.systems:
            spread = ["–" if system.spread is None else f"{system.spread:.2f}"] if several else []
            difference = "–" if system.difference is None else signed(system.difference)
            p = [f"{system.p[test]:.4f}" if test in system.p else "–" for test in tests]
            shown.add_row(system.system, f"{system.mean:.2f}", *spread, _confidence(system), difference, *p)
        console.print(shown)
        console.print(scores.signature, style="dim", markup=False)
