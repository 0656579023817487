"""``graphmt rerank``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.cli.corpus import Columns, Header, Languages, parsed_columns
from graphmt.cli.display import note
from graphmt.cli.flags import with_options
from graphmt.consensus import (
    Outputs,
    Reranker,
    RerankOptions,
    learn_files,
    read_lists,
    read_memory_pairs,
    rerank_files,
)
from graphmt.consensus.explanation import require_neighbours
from graphmt.consensus.memory import memory_name
from graphmt.consensus.preparation import prepare_memory, with_case
from graphmt.consensus.report import ChangedChoices, write_neighbours
from graphmt.consensus.reranker import added_names, dropped_names, uses_neighbours
from graphmt.corpus import tokenised
from graphmt.errors import OptionError
from graphmt.memory_features import GivenFiles
from graphmt.nbest.formats import FORMATS, format_named
from graphmt.storage.files import require_inputs, require_outputs


@with_options(rerank=RerankOptions)
def rerank(
    lists: Annotated[Path, typer.Argument(help="N-best lists, in any format of --format; - is standard input.")],
    rerank: dict[str, Any],
    source: Annotated[Path | None, typer.Option("--source", "-s", help="The source: text or CoNLL-U.")] = None,
    memory: Annotated[
        list[Path] | None,
        typer.Option(
            "--memory",
            "-m",
            metavar="FILE",
            help="Translation memory or training corpus: .tsv, .tmx, .xlf, .po, .mo, .parquet, or the source side of "
            "two files; repeat for several.",
        ),
    ] = None,
    memory_target: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="The target side of each --memory, for two files."),
    ] = None,
    languages: Languages = None,
    columns: Columns = None,
    header: Header = None,
    dev: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="LISTS SOURCE", help="Development set to tune on: its lists and its source."),
    ] = None,
    dev_target: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Its reference; repeat for several.")
    ] = None,
    self_tune: Annotated[
        bool,
        typer.Option(
            "--self-tune",
            help="The sentences of --dev are in the memory: leave their pairs out of it, and use their translations as "
            "reference if there is no --dev-target.",
        ),
    ] = False,
    lm: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Language model for the feature lm, instead of training on the memory."),
    ] = None,
    lexicon: Annotated[
        Path | None,
        typer.Option(metavar="PREFIX", help="Lexical tables PREFIX.f2e and PREFIX.e2f for the feature lexicon."),
    ] = None,
    alignment: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Word alignment of the memory for the feature lexicon."),
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="A re-ranker written by --save, with its options, instead of tuning.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the tuned re-ranker: JSON, or a folder with memory, lm or lexicon.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output; - is standard output.")] = Path("-"),
    n_best: Annotated[
        bool, typer.Option("--n-best", help="Write the re-ranked lists, not only the best candidates.")
    ] = False,
    format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Format of the lists: {', '.join(FORMATS)}; detected by default."),
    ] = None,
    list_size: Annotated[
        int | None,
        typer.Option(min=1, metavar="K", help="Candidates of each sentence, for plain text with a line for each."),
    ] = None,
    out_format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Format of the lists that --n-best writes; that of the input by default."),
    ] = None,
    explain: Annotated[
        Path | None, typer.Option(help="Write which neighbours supported each choice: text, or JSON lines (.jsonl).")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML report of the neighbours that changed choices.")
    ] = None,
) -> None:
    """Re-rank n-best lists of any system by consensus with similar sentences of a translation memory.

    Without --dev, the model's score and the consensus are combined with fixed weights.
    """
    if weights is not None and (dev is not None or dev_target):
        raise OptionError("--weights and --dev exclude each other.", hint="Leave out --weights or --dev.")
    if self_tune and (dev is None or not memory):
        raise OptionError("--self-tune needs --memory, and lists of some of its sentences (--dev).")
    if (dev is None) != (not dev_target) and not self_tune:
        raise OptionError("tuning needs the lists and source (--dev) and the reference (--dev-target).")
    if save is not None and dev is None:
        raise OptionError(
            "--save writes the tuned re-ranker, but nothing is tuned.", hint="Give --dev and --dev-target."
        )
    if not memory and (memory_target or languages or columns or header is not None):
        raise OptionError("--memory-target, --languages, --columns and --header apply to --memory, which is not given.")
    for name in (format, out_format):
        if name is not None:
            format_named(name)
    if out_format is not None and not n_best:
        raise OptionError("--out-format applies to --n-best, which is not given.")
    require_inputs(lists, source, *(memory or ()), *(memory_target or ()), *(dev or ()), *(dev_target or ()))
    require_inputs(lm, alignment)
    require_outputs(out, explain, report, save)
    made = Reranker.load(weights, **rerank) if weights is not None else None
    options = made.options if made else RerankOptions.from_mapping(rerank)
    without = dropped_names(options, options)
    if dev is None and made is None:
        options = options.cautious()
    options = options.settled(tuned_with_memory=dev is not None and bool(memory))
    if options.memory_groups and not memory:
        raise OptionError(f"{', '.join(options.memory_groups)} need a translation memory.", hint="Give --memory.")
    if options.memory_groups and dev is None and made is None:
        raise OptionError(
            f"{', '.join(options.memory_groups)} need a development set.",
            hint="Give --dev and --dev-target, or --dev with lists of sentences of the memory and --self-tune.",
        )
    if self_tune and not options.memory_groups:
        raise OptionError("--self-tune applies to the features memory, lm and lexicon.")
    if not {"lm", "lexicon"} & set(options.memory_groups) and (lm or lexicon or alignment):
        raise OptionError("--lm, --lexicon and --alignment apply to the features lm and lexicon.")
    if source is None and options.method in ("g-rerank", "struct-lp"):
        raise OptionError(f"{options.method} needs the source sentences.", hint="Give --source FILE.")
    if explain is not None or report is not None:
        require_neighbours(options)
    if not memory and uses_neighbours(options):
        note("No --memory given: consensus uses only the input sentences.")
    without = without or added_names(options)
    given = read_lists(lists, without=without, format=format, list_size=list_size)
    ready = None
    if memory:
        pairs = read_memory_pairs(
            memory, memory_target or [], languages=languages, columns=parsed_columns(columns), header=header
        )
        if made is None and "lowercase" not in rerank:
            options, pairs = with_case(options, dev[0] if dev is not None else lists, pairs)
        ready = prepare_memory(
            pairs,
            options,
            name=memory_name(memory),
            held_out=list(tokenised(dev[1])) if self_tune and dev is not None else None,
            files=GivenFiles(lm, lexicon, alignment),
            saved=weights,
        )
    known = ready.memory if ready else None
    if made is not None and weights is not None:
        made = made.with_memory(weights, ready.pairs if ready else None)
    if dev is not None:
        tuned_on = read_lists(dev[0], without=without, format=format, list_size=list_size)
        made = learn_files(
            tuned_on,
            dev[1],
            dev_target or [],
            known,
            options,
            columns=given.features,
            without=without,
            resources=ready.resources if ready else None,
            known=ready.all_pairs if ready and self_tune and not dev_target else None,
        )
        if save is not None:
            made.save(save)
    changed = ChangedChoices()
    done = rerank_files(
        given,
        source,
        known,
        made or options,
        Outputs(out, n_best, explain, out_format),
        seen=changed.add if report is not None else None,
    )
    if report is not None:
        write_neighbours(report, changed, options)
        note(f"Wrote the report to {report}.")
    neighbours = f", {done.with_neighbours:,} of them with neighbours" if done.with_neighbours is not None else ""
    note(f"{done.sentences:,} sentences{neighbours}; {done.changed:,} translations changed.")
