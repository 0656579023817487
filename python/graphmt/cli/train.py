"""``graphmt train``."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from graphmt.align import AlignOptions
from graphmt.cli.display import note
from graphmt.cli.engine import EngineName, Master, session_of
from graphmt.cli.flags import Overwrite, names, with_options
from graphmt.cli.inputs import (
    chosen_sides,
)
from graphmt.cli.outputs import FOLDER
from graphmt.cli.pairs import Columns, Header, parsed_columns
from graphmt.corpus import ParseOptions
from graphmt.corpus.languages import agreed
from graphmt.errors import OptionError
from graphmt.lm import LmOptions
from graphmt.options import choices
from graphmt.rules import MAX_WORDS, ExtractOptions, rule_kinds
from graphmt.selection import MODELS
from graphmt.systems import SYSTEMS
from graphmt.training import SidesOptions, TrainOptions
from graphmt.training import train as train_model
from graphmt.training.engine import Engine


@with_options(sides=SidesOptions, extract=ExtractOptions, options=TrainOptions)
def train(
    model: Annotated[Path, typer.Argument(help="The model folder to write."), FOLDER],
    sides: SidesOptions,
    extract: ExtractOptions,
    options: TrainOptions,
    pairs: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of pairs: .po, .xlf, .tmx, .tsv, .csv, .parquet; or give --source and --target."),
    ] = None,
    source: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Source side: text, or CoNLL-U with trees; plain or compressed. Repeat for several files (documents).",
        ),
    ] = None,
    target: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Target side: text; one file per source file.")
    ] = None,
    languages: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="SOURCE TARGET",
            help="The same as --source-language and --target-language, as in --languages de en.",
        ),
    ] = None,
    columns: Columns = None,
    header: Header = None,
    system: Annotated[
        str, typer.Option(metavar="NAME", help=f"One of: {', '.join(SYSTEMS)}.", autocompletion=names(SYSTEMS))
    ] = "hpb",
    alignment: Annotated[Path | None, typer.Option(help="Existing word alignment (i-j) to use.")] = None,
    lm: Annotated[Path | None, typer.Option(help="Existing language model (graphmt lm) to use.")] = None,
    rules_of: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL", help="Reuse the rules of this model, trained with the same options, e.g. for --with."
        ),
    ] = None,
    dev: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="SOURCE TARGET", help="Development set to tune the weights on (see graphmt tune)."),
    ] = None,
    dev_pairs: Annotated[Path | None, typer.Option(metavar="FILE", help="The same, as a file of pairs.")] = None,
    selection: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="NAMES",
            help=f"Lexical selection models to add, e.g. gm,tsm: {', '.join(MODELS)}.",
            autocompletion=names(MODELS),
        ),
    ] = "",
    aligner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Word alignment model. [dim]\\[default: {AlignOptions().named().model}][/dim]",
            autocompletion=names(choices(AlignOptions, "model")),
        ),
    ] = None,
    order: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"Order of the language model. [dim]\\[default: {LmOptions().order}][/dim]"),
    ] = None,
    parser: Annotated[
        str | None,
        typer.Option(
            metavar="KIND:MODEL",
            help="Parser of source text without trees, which the model remembers: spacy:MODEL, udpipe:FILE, "
            "stanza:LANGUAGE, corenlp:URL or command:PROGRAM.",
        ),
    ] = None,
    segmenter: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What splits source text before it is parsed. parser; text: the tokeniser of the language; none; "
            "auto: parser for raw text, else none. [dim]\\[default: auto][/dim]",
            autocompletion=names(choices(ParseOptions, "segmenter")),
        ),
    ] = None,
    raw: Annotated[
        bool | None,
        typer.Option(
            "--raw/--tokens",
            help="The text is raw (tokenise, truecase and protect it), or its words are tokens already. "
            "[dim]\\[default: found from the files][/dim]",
            show_default=False,
        ),
    ] = None,
    overwrite: Overwrite = False,
    engine: EngineName = "local",
    master: Master = None,
) -> None:
    """Train a system on a parallel corpus: word alignment, language model, rules, weights (tuned with --dev).

    Text may be raw or tokenised; training says what it found.

    An interrupted run resumes with the same command. An existing model is replaced only with --overwrite. Options of
    the other stages go into the TOML file: \\[parse], \\[align], \\[lm], \\[reorder], \\[gm], \\[lrsm], \\[dwl],
    \\[order], \\[tsm], \\[tune], and \\[search], which sets the model's defaults.
    """
    if dev is not None and dev_pairs is not None:
        raise OptionError("--dev and --dev-pairs are both given.", hint="A model is tuned on one development set.")
    given, references = chosen_sides(pairs, source, target)
    if languages is not None:
        sides = sides.replace(**agreed(languages, sides.source_language, sides.target_language))
    if raw is not None:
        sides = sides.settled(raw)
    options = dataclasses.replace(options, sides=sides, extract=extract).on_threads(extract.threads)
    if aligner is not None:
        options = dataclasses.replace(options, align=options.align.replace(model=aligner))
    if order is not None:
        options = dataclasses.replace(options, lm=options.lm.replace(order=order))
    if parser is not None:
        options = dataclasses.replace(options, parse=options.parse.replace(parser=parser))
    if segmenter is not None:
        options = dataclasses.replace(options, parse=options.parse.replace(segmenter=segmenter))
    made = train_model(
        system,
        source=given,
        target=references,
        out=model,
        columns=parsed_columns(columns),
        header=header,
        alignment=alignment,
        language_model=lm,
        rules_of=rules_of,
        dev=dev or dev_pairs,
        selection=[name.strip() for name in selection.split(",") if name.strip()],
        options=options,
        overwrite=overwrite,
        engine=_engine(engine, master),
    )
    rules = made.manifest.report["rules"]
    kinds = ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in rule_kinds(rules).items() if number)
    note(f"{model}: {system} with {kinds} rules from {rules['pairs']:,} pairs.")
    for stage, what in (("align", "got no links"), ("rules", "yielded no rules")):
        # There is no count for a given alignment.
        report = made.manifest.report[stage]
        if left_out := report.get("too_long"):
            note(f"{left_out:,} pairs have a side of more than {report.get('longest', MAX_WORDS)} words and {what}.")


def _engine(name: str, master: str | None) -> Engine | None:
    session = session_of(name, master)
    if session is None:
        return None
    from graphmt.spark import SparkEngine

    return SparkEngine(session)
