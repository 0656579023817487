"""``graphmt rerank``."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.cli.display import note
from graphmt.cli.engine import EngineName, Master, session_of
from graphmt.cli.flags import with_options
from graphmt.cli.outputs import FILE
from graphmt.cli.pairs import Columns, Header, Languages, parsed_columns
from graphmt.consensus import Outputs, RerankOptions
from graphmt.consensus.request import DevFiles, MemoryFiles, RerankRequest, VectorFiles, run
from graphmt.errors import OptionError
from graphmt.memory_features import GivenFiles
from graphmt.nbest.formats import FORMATS


@with_options(rerank=RerankOptions)
def rerank(
    lists: Annotated[Path, typer.Argument(help="N-best lists, in any format of --format; - is standard input.")],
    rerank: dict[str, Any],
    also: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Lists of another system, to choose among the candidates of all; repeat."),
    ] = None,
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
    dev_also: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="The development lists of each --also, in its order.")
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
    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Vectors of the source sentences (.npy, a row for each), for neighbours by meaning in the feature "
            "memory.",
        ),
    ] = None,
    memory_vectors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Vectors of the memory's sources, by the same model.")
    ] = None,
    dev_vectors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Vectors of the development set's sources.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="A re-ranker written by --save, with its options, instead of tuning.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the tuned re-ranker: JSON, or a folder with memory, lm or lexicon."), FILE
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output; - is standard output."), FILE] = Path("-"),
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
        Path | None,
        typer.Option(
            help="Write which memory pairs or neighbours supported each choice: text, or JSON lines (.jsonl)."
        ),
        FILE,
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML report of the n-grams or neighbours that changed choices."), FILE
    ] = None,
    engine: EngineName = "local",
    master: Master = None,
) -> None:
    """Re-rank n-best lists of any system with a translation memory, or by consensus with similar sentences.

    Without --dev, the model's score and the features of the memory are combined with fixed weights.
    """
    if dev is None and (dev_target or dev_also or self_tune):
        raise OptionError("--dev-target, --dev-also and --self-tune apply to --dev LISTS SOURCE, which is not given.")
    tuned_on = None
    if dev is not None:
        tuned_on = DevFiles([dev[0], *(dev_also or [])], dev[1], dev_target or [], self_tune)
    request = RerankRequest(
        [lists, *(also or [])],
        source,
        MemoryFiles(memory or [], memory_target or [], languages, parsed_columns(columns), header),
        tuned_on,
        GivenFiles(lm, lexicon, alignment),
        weights,
        save,
        format,
        list_size,
        Outputs(out, n_best, explain, out_format),
        report,
        VectorFiles(vectors, memory_vectors, dev_vectors),
    )
    elsewhere = None
    if (session := session_of(engine, master)) is not None:
        from graphmt.spark.reranking import rerank_on_spark

        elsewhere = functools.partial(rerank_on_spark, session)
    done = run(request, rerank, elsewhere)
    if report is not None:
        note(f"Wrote the report to {report}.")
    neighbours = f", {done.with_neighbours:,} of them with neighbours" if done.with_neighbours is not None else ""
    covered = f", {done.covered:.0%} of their trigrams in the memory" if done.covered is not None else ""
    note(f"{done.sentences:,} sentences{neighbours}{covered}; {done.changed:,} translations changed.")
