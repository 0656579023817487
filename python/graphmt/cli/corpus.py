"""``graphmt corpus``: prepare text and trees."""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from graphmt.cli import portions
from graphmt.cli.display import console, note
from graphmt.cli.engine import EngineName, Master, session_of
from graphmt.cli.flags import with_options
from graphmt.cli.help import App
from graphmt.cli.outputs import FILE, FOLDER
from graphmt.cli.pairs import Columns, Header, Languages, parsed_columns
from graphmt.corpus import cleaning, counting
from graphmt.corpus import convert as converting
from graphmt.corpus.parsers import parse_file
from graphmt.corpus.steps import CASES, TextOptions, TextSteps, process_file
from graphmt.errors import OptionError
from graphmt.options import MOST, MOST_THREADS
from graphmt.storage.compression import plain_name
from graphmt.storage.files import digest
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    from rich.table import Table

app = App(help="Text and trees: clean, count, tokenise, parse, split.")

Source = Annotated[Path, typer.Argument(help="Text, CoNLL-U, or pairs: TSV, CSV, gettext, TMX, XLIFF, Parquet.")]
Target = Annotated[Path | None, typer.Argument(help="The other side, if the first file is one side only.")]
Out = Annotated[Path, typer.Argument(help="Output; .gz, .bz2, .xz or .zst compresses, - is standard output."), FILE]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Multiword = Annotated[
    str,
    typer.Option(metavar="NAME", help="Multiword tokens (3-4 am). surface: one node each; words: a node per word."),
]
Threads = Annotated[int, typer.Option(min=1, max=MOST_THREADS, metavar="N", help="Number of processes.")]


class _Report(Protocol):
    def as_dict(self) -> dict[str, Any]: ...

    def table(self) -> Table: ...


def _show(report: _Report, as_json: bool, *outputs: Path | None) -> None:
    from rich.console import Console

    # The report goes to standard output, unless an output does.
    taken = any(path is not None and os.fspath(path) == "-" for path in outputs)
    printer = console() if taken else Console(highlight=False, soft_wrap=as_json)
    if as_json:
        printer.print(json.dumps(report.as_dict(), ensure_ascii=False, indent=2), markup=False)
    else:
        printer.print(report.table())


@app.command()
@with_options(clean=cleaning.CleanOptions)
def clean(
    source: Source,
    out_source: Annotated[Path, typer.Option(help="Output for the source side (or for both, as pairs)."), FILE],
    clean: cleaning.CleanOptions,
    target: Target = None,
    out_target: Annotated[Path | None, typer.Option(help="Output for the target side."), FILE] = None,
    alignment: Annotated[Path | None, typer.Option(help="Word alignment to keep parallel.")] = None,
    out_alignment: Annotated[Path | None, typer.Option(help="Output for the alignment."), FILE] = None,
    columns: Columns = None,
    languages: Languages = None,
    header: Header = None,
    json: Json = False,
    engine: EngineName = "local",
    master: Master = None,
) -> None:
    """Drop pairs that harm training, and report how many and why."""
    find_reasons = None
    if (session := session_of(engine, master)) is not None:
        from graphmt.spark.cleaning import reasons_on_spark
        from graphmt.spark.text import require_file

        files = [path for path in (source, target) if path is not None]
        for path in files:
            require_file(path)
        request = {"files": [digest(path) for path in files], "read": [columns, languages, header]}
        find_reasons = functools.partial(reasons_on_spark, session, out_source, request)
    report = cleaning.clean(
        source,
        target,
        out_source=out_source,
        out_target=out_target,
        alignment=alignment,
        out_alignment=out_alignment,
        columns=parsed_columns(columns),
        languages=languages,
        header=header,
        options=clean,
        find_reasons=find_reasons,
    )
    _show(report, json, out_source, out_target, out_alignment)


@app.command()
def stats(
    source: Source,
    target: Target = None,
    unknown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another text, to count its unknown words.")
    ] = None,
    columns: Columns = None,
    languages: Languages = None,
    header: Header = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Count words in lower case.")] = False,
    json: Json = False,
    engine: EngineName = "local",
    master: Master = None,
) -> None:
    """Count sentences, words, lengths, unknown words, and non-projective or faulty trees."""
    count = functools.partial(
        counting.statistics,
        source,
        target,
        unknown=unknown,
        columns=parsed_columns(columns),
        languages=languages,
        header=header,
        lowercase=lowercase,
    )
    if (session := session_of(engine, master)) is not None:
        from graphmt.spark.counting import counts_in

        with temporary_folder("spark") as folder:
            report = count(new_counts=counts_in(session, folder))
    else:
        report = count()
    _show(report, json)
    if not json:
        for side in report.sides:
            for fault in side.trees.first_faults if side.trees else ():
                note(f"Faulty tree: {fault}")


@app.command()
def parse(
    source: Annotated[Path, typer.Argument(help="Text, one sentence per line; - is standard input.")],
    out: Out,
    parser: Annotated[
        str,
        typer.Option(
            "--parser",
            "--model",
            metavar="KIND:MODEL",
            help="spacy:MODEL, udpipe:FILE, stanza:LANGUAGE, corenlp:URL or command:PROGRAM.",
        ),
    ],
    tokenised: Annotated[
        bool, typer.Option("--tokenised", help="Keep the tokens of the text instead of tokenising it.")
    ] = False,
    batch: Annotated[
        int,
        typer.Option(min=1, max=MOST, metavar="N", help="Batch size in sentences; trades memory for speed."),
    ] = 256,
    threads: Annotated[
        int, typer.Option(min=0, max=MOST_THREADS, metavar="N", help="Number of processes; 0: one per core.")
    ] = 0,
    engine: EngineName = "local",
    master: Master = None,
) -> None:
    """Parse each line of a text into a dependency tree. Interrupted runs resume."""
    if (session := session_of(engine, master)) is not None:
        from graphmt.spark import text

        count = text.parse_file(session, source, out, parser, pretokenised=tokenised)
        note(f"Trees: {count:,}.")
        return
    count = parse_file(source, out, parser, pretokenised=tokenised, batch=batch, processes=threads)
    note(f"Trees: {count:,}.")


@app.command()
def tokenise(
    source: Annotated[Path, typer.Argument(help="Text, or CoNLL-U for its tokens; - is standard input.")],
    out: Out,
    language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Language of the text. [dim]\\[default: en][/dim]")
    ] = None,
    case: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Case of words. One of: {', '.join(CASES)}. [dim]\\[default: none][/dim]"),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Save the steps here, with the truecasing model."), FOLDER
    ] = None,
    steps: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Apply the steps saved there instead of those given here."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Detokenise, and capitalise sentence starts.")] = False,
    threads: Threads = 1,
    engine: EngineName = "local",
    master: Master = None,
) -> None:
    """Tokenise text and set the case of words; or undo both."""
    for name, value in (("--language", language), ("--case", case)):
        if steps is not None and value is not None:
            raise OptionError(f"{name} and --steps are both given.", hint="The saved steps have a language and a case.")
    declared = TextSteps.load(steps) if steps else TextSteps(TextOptions(True, language or "en", case or "none"))
    if (session := session_of(engine, master)) is not None:
        if undo:
            raise OptionError("--undo does not work with the Spark engine.", hint="Leave out --engine.")
        from graphmt.spark import text

        used = text.tokenise_file(session, source, out, declared)
    else:
        used = process_file(source, out, declared, undo=undo, processes=threads)
    if save:
        used.save(save)


@app.command()
def convert(
    source: Source,
    out: Out,
    out_target: Annotated[
        Path | None, typer.Argument(help="The target side of pairs (tab-separated, a catalogue or TMX)."), FILE
    ] = None,
    columns: Columns = None,
    languages: Languages = None,
    header: Header = None,
    multiword: Multiword = "surface",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case the tokens.")] = False,
) -> None:
    """Split pairs into two files; or rewrite trees (if OUT is .conllu) or write their tokens (any other name)."""
    if out_target is not None:
        count = converting.split_pairs(
            source, out, out_target, columns=parsed_columns(columns), languages=languages, header=header
        )
    elif plain_name(out.name).endswith(".conllu"):
        count = converting.rewrite_trees(source, out, multiword=multiword)
    else:
        count = converting.write_tokens(source, out, lowercase=lowercase)
    note(f"Sentences: {count:,}.")


@app.command()
def projectivise(
    source: Annotated[Path, typer.Argument(help="CoNLL-U; - is standard input.")],
    out: Out,
    multiword: Multiword = "surface",
) -> None:
    """Lift arcs until every tree is projective."""
    trees, changed, lifts = converting.projectivise_trees(source, out, multiword=multiword)
    note(f"{trees:,} trees, {changed:,} changed ({changed / max(1, trees):.2%}), {lifts:,} arcs lifted.")


portions.register(app)
