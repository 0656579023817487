"""``graphmt rerank``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.cli.flags import with_options
from graphmt.consensus import Explanation, Outputs, Reranker, RerankOptions, learn_files, read_memory, rerank_files
from graphmt.errors import OptionError
from graphmt.evaluate.report.neighbours import write_neighbours
from graphmt.progress import note


@with_options(rerank=RerankOptions)
def rerank(
    lists: Annotated[Path, typer.Argument(help="N-best lists: Moses' format or JSON lines; - is standard input.")],
    rerank: dict[str, Any],
    source: Annotated[Path | None, typer.Option("--source", "-s", help="The source: text or CoNLL-U.")] = None,
    memory: Annotated[
        list[Path] | None,
        typer.Option(
            "--memory",
            "-m",
            metavar="FILE",
            help="Translation memory or training corpus: .tsv, .tmx, .po, .mo, or the source side of two files; again "
            "for several.",
        ),
    ] = None,
    memory_target: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="The target side of each --memory, for two files."),
    ] = None,
    languages: Annotated[
        tuple[str, str] | None, typer.Option(metavar="SOURCE TARGET", help="Languages of a TMX memory, as in de en.")
    ] = None,
    dev: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="LISTS SOURCE", help="Development set to tune on: its lists and its source."),
    ] = None,
    dev_target: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Its reference; several times for several.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="A re-ranker that --save wrote, instead of tuning; brings its options along.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write the tuned re-ranker (JSON).")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output; - is standard output.")] = Path("-"),
    n_best: Annotated[bool, typer.Option("--n-best", help="Write the lists in their new order, not the best.")] = False,
    explain: Annotated[
        Path | None, typer.Option(help="Write who spoke for each choice: text, or JSON lines (.jsonl).")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write who spoke for changed choices, drawn (HTML).")] = None,
) -> None:
    """Re-rank n-best lists of any system by what similar sentences of a translation memory say.

    Without --dev the model's score and the memory's consensus are mixed in fixed proportions.
    """
    if weights is not None and (dev is not None or dev_target):
        raise OptionError("weights are given, so there is nothing to tune.", hint="Leave out --weights or --dev.")
    if (dev is None) != (not dev_target):
        raise OptionError("tuning needs the lists and source (--dev) and the reference (--dev-target).")
    made = Reranker.load(weights, **rerank) if weights is not None else None
    options = made.options if made else RerankOptions.from_mapping(rerank)
    if source is None and options.method in ("g-rerank", "struct-lp"):
        raise OptionError(f"{options.method} looks for similar source sentences.", hint="Give --source FILE.")
    known = read_memory(memory, memory_target or [], options, languages=languages) if memory else None
    if dev is not None:
        made = learn_files(dev[0], dev[1], dev_target or [], known, options)
        if save is not None:
            made.save(save)
    changed: list[Explanation] = []
    done = rerank_files(
        lists,
        source,
        known,
        made or options,
        Outputs(out, n_best, explain),
        seen=(lambda one: changed.append(one) if one.changed and one.voices else None) if report is not None else None,
    )
    if report is not None:
        write_neighbours(report, changed, options)
        note(f"The report is {report}.")
    neighbours = f", {done.with_neighbours:,} of them with neighbours" if done.with_neighbours is not None else ""
    note(f"{done.sentences:,} sentences{neighbours}; {done.changed:,} have another translation than before.")
