"""``graphmt lm``: estimate, convert, query and describe language models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmt.cli.display import note
from graphmt.cli.engine import EngineName, Master, session_of
from graphmt.cli.flags import with_options
from graphmt.cli.help import App
from graphmt.cli.outputs import FILE
from graphmt.lm import LmOptions, build, load, train
from graphmt.lm.model import Perplexity
from graphmt.options import MOST_THREADS

app = App(help="Language models: train, score, convert.")

Model = Annotated[Path, typer.Argument(help="Binary model made by train or build.", metavar="MODEL")]
Out = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="FILE", help="Model to write; .arpa or .arpa.gz writes ARPA."),
    FILE,
]
Threads = Annotated[int, typer.Option(min=0, max=MOST_THREADS, help="Threads; 0: one per core.")]


@app.command("train")
@with_options(lm=LmOptions)
def train_command(
    texts: Annotated[list[Path], typer.Argument(help="Text, one sentence per line.", metavar="TEXT...")],
    out: Out,
    lm: LmOptions,
    engine: EngineName = "local",
    master: Master = None,
) -> None:
    """Estimate a model with interpolated modified Kneser-Ney smoothing."""
    if (session := session_of(engine, master)) is not None:
        from graphmt.spark.lm import train_on_spark

        train_on_spark(session, texts, out, lm)
    else:
        train(texts, out, lm)


@app.command("build")
def build_command(
    arpa: Annotated[Path, typer.Argument(help="ARPA file, plain or compressed.", metavar="ARPA")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The binary model to write."), FILE],
    threads: Threads = 0,
) -> None:
    """Convert an ARPA file to a binary model."""
    built = build(arpa, out, threads=threads)
    note(f"{sum(built.ngrams):,} n-grams of up to {len(built.ngrams)} words.")


@app.command("export")
def export_command(
    model: Model,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="The ARPA file; .gz, .bz2, .xz or .zst compresses."),
        FILE,
    ],
) -> None:
    """Write a binary model as an ARPA file."""
    load(model).to_arpa(out)


@app.command("score")
def score_command(
    model: Model,
    text: Annotated[str, typer.Argument(help="Text, one sentence per line; -: standard input.", metavar="TEXT")] = "-",
    summary: Annotated[bool, typer.Option("--summary", help="Only the totals.")] = False,
    words: Annotated[
        bool, typer.Option("--words", help="Every word with its log10 probability and n-gram length.")
    ] = False,
    threads: Threads = 0,
) -> None:
    """Print each sentence's log10 probability and unknown words; perplexity goes to standard error."""
    opened = load(model)
    totals = Perplexity()
    for sentences, scores in opened.stream_scores(text, threads):
        totals = totals.plus(scores)
        if words:
            for sentence in sentences:
                print("\t".join(_spelled(word) for word in opened.full_scores(sentence)))
        elif not summary:
            columns = zip(scores.log10.tolist(), scores.unknown.tolist(), strict=True)
            print("\n".join(f"{log10:.6f}\t{unknown}" for log10, unknown in columns))
    if summary:
        print(totals)
    else:
        note(str(totals))


@app.command("info")
def info_command(
    model: Model,
    check: Annotated[bool, typer.Option("--check", help="Compare the whole file with its checksum.")] = False,
) -> None:
    """Describe a binary model."""
    opened = load(model)
    if check:
        opened.verify()
    print(f"order\t{opened.order}")
    print(f"words\t{len(opened)}")
    for order, count in enumerate(opened.ngrams, 1):
        print(f"{order}-grams\t{count}")
    print(f"bytes\t{opened.size}")


def _spelled(word: tuple[str, float, int, bool]) -> str:
    text, log10, length, unknown = word
    return f"{text}={log10:.6f}/{length}{'?' if unknown else ''}"
