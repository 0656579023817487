"""``graphmt align`` and ``graphmt aer``."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path
from typing import Annotated

import typer

from graphmt.align.error_rate import score
from graphmt.align.options import AlignOptions
from graphmt.align.pharaoh import read_alignment
from graphmt.align.step import Outputs, align_files
from graphmt.cli.display import note
from graphmt.cli.engine import EngineName, Master, session_of
from graphmt.cli.flags import with_options
from graphmt.cli.outputs import FILE, FOLDER
from graphmt.errors import InputError


@with_options(align=AlignOptions)
def align(
    source: Annotated[Path, typer.Option("--source", metavar="FILE", help="Tokenised text or CoNLL-U.")],
    target: Annotated[Path, typer.Option("--target", metavar="FILE", help="The same sentences in the other language.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Output: one line of links per pair, 0-0 1-2."), FILE
    ],
    align: AlignOptions,
    lexical: Annotated[
        Path | None,
        typer.Option("--lexical", metavar="PREFIX", help="Also write lexical tables PREFIX.f2e.gz and PREFIX.e2f.gz."),
        FOLDER,
    ] = None,
    lexical_lowercase: Annotated[
        bool, typer.Option("--lexical-lowercase", help="Lower-case the words of the lexical tables.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Align even if the outputs are up to date.")] = False,
    engine: EngineName = "local",
    master: Master = None,
) -> None:
    """Align sentence pairs word by word.

    FILE.json records the inputs and options; outputs that are up to date are not made again.
    """
    started = time.monotonic()
    outputs = Outputs(out, lexical, lexical_lowercase)
    if (session := session_of(engine, master)) is not None:
        from graphmt.spark.alignment import align_files_on_spark

        record = align_files_on_spark(session, source, target, outputs, align, overwrite=overwrite)
    else:
        record = align_files(source, target, outputs, align, overwrite=overwrite)
    if record is None:
        note(f"{out}: up to date, nothing to do (--overwrite aligns again).")
        return
    if record["empty"]:
        note(f"{record['empty']} pairs have an empty side and got no links.")
    if record["too_long"]:
        note(f"{record['too_long']} pairs have a side of more than {record['longest']} words and got no links.")
    seconds = time.monotonic() - started
    note(f"{out}: {record['pairs']} pairs, {record['links']} links, {record['library']}, {seconds:.0f} s.")


def aer(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="Gold links; 1p2 or 1?2 is a possible link.")],
    alignment: Annotated[Path, typer.Argument(metavar="ALIGNMENT", help="Links to evaluate, positions from 0.")],
    one_based: Annotated[bool, typer.Option("--one-based", help="Positions in GOLD start at 1.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Alignment error rate, precision and recall against gold links (Och & Ney 2003)."""
    known = read_alignment(gold, one_based=one_based)
    found = read_alignment(alignment)
    if len(known) != len(found):
        raise InputError(
            f"has {len(found)} lines, but {gold} has {len(known)}.",
            file=alignment,
            hint="Both must have one line per sentence pair.",
        )
    result = score(known, found)
    if as_json:
        figures = {"aer": result.error_rate, "precision": result.precision, "recall": result.recall}
        print(json.dumps({**figures, "pairs": len(known), **dataclasses.asdict(result)}))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("AER", "precision", "recall", "pairs", "links found", "sure", "possible")
    percent = (f"{100 * value:.2f} %" for value in (result.error_rate, result.precision, result.recall))
    counts = (len(known), result.found, result.sure, result.possible)
    table.add_row(*percent, *map(str, counts))
    Console().print(table)
