"""``graphmt parser``: train and evaluate parsers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from graphmt.cli.display import note
from graphmt.cli.flags import with_options
from graphmt.cli.help import App
from graphmt.cli.outputs import FILE
from graphmt.corpus import ParserOptions, evaluate_parser, train_parser
from graphmt.options import MOST, MOST_THREADS

app = App(help="Parsers: train, evaluate.")


@app.command()
@with_options(parser=ParserOptions)
def train(
    treebank: Annotated[list[Path], typer.Argument(help="CoNLL-U with gold trees; one file or several.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The UDPipe model to write."), FILE],
    parser: ParserOptions,
    dev: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Held-out trees, to report accuracy while training.")
    ] = None,
) -> None:
    """Train a UDPipe model (tokeniser, tagger, parser) on a treebank of Universal Dependencies.

    An interrupted run resumes after the last finished part.
    """
    train_parser(treebank, out, parser, dev=dev or ())
    note(f"{out}: {out.stat().st_size / 1e6:.1f} MB. Use it with --parser udpipe:{out}.")


@app.command()
def evaluate(
    model: Annotated[str, typer.Argument(help="A parser: udpipe:FILE, spacy:MODEL, stanza:LANGUAGE, …")],
    gold: Annotated[Path, typer.Argument(help="CoNLL-U with gold trees.")],
    raw: Annotated[bool, typer.Option("--raw", help="Parse the raw text (# text) instead of the gold words.")] = False,
    count: Annotated[int | None, typer.Option(min=1, max=MOST, metavar="N", help="Only the first N sentences.")] = None,
    threads: Annotated[
        int, typer.Option(min=0, max=MOST_THREADS, metavar="N", help="Number of processes; 0: one per core.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Unlabelled and labelled attachment scores (UAS, LAS) of a parser on gold trees."""

    from rich.console import Console

    scores = evaluate_parser(model, gold, raw=raw, most=count, processes=threads)
    if as_json:
        print(json.dumps(scores.as_dict()))
    else:
        Console(highlight=False).print(scores.table())
