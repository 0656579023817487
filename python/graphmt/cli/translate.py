"""``graphmt train`` and ``graphmt translate``."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.align import AlignOptions
from graphmt.cli.corpus import Columns, Header, parsed_columns
from graphmt.cli.display import note
from graphmt.cli.engine import EngineName, Master, session_of
from graphmt.cli.flags import Overwrite, names, with_options
from graphmt.cli.inputs import (
    FORMATS,
    GlossaryFile,
    GlossaryLanguages,
    GlossaryWeight,
    ParserName,
    chosen_sides,
    chunks,
    opened,
    with_terms,
)
from graphmt.cli.outputs import FILE, FOLDER, ByName
from graphmt.cli.spark_translation import Outputs, translate_on_spark
from graphmt.consensus import ConsensusDecoder
from graphmt.corpus import ParseOptions
from graphmt.corpus.languages import agreed
from graphmt.errors import OptionError
from graphmt.glossary import XML_INPUT
from graphmt.lm import LmOptions
from graphmt.localisation import is_document, translate_document
from graphmt.model import Model, SearchOptions, SentenceMemory, Translation
from graphmt.model.memory import THRESHOLD
from graphmt.options import MOST, MOST_THREADS, choices, nearest
from graphmt.progress import bar, sentences_in
from graphmt.rules import MAX_WORDS, ExtractOptions, rule_kinds
from graphmt.searchgraph import is_folder_name, require_format, writing_graphs
from graphmt.selection import MODELS
from graphmt.storage.files import writing
from graphmt.systems import SYSTEMS
from graphmt.training import SidesOptions, TrainOptions
from graphmt.training import train as train_model
from graphmt.training.engine import Engine

#: Repaired units that are listed.
SHOWN = 10


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
        list[Path] | None,
        typer.Option(metavar="FILE", help="Target side: text; one file per source file."),
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


@with_options(search=SearchOptions)
def translate(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    search: dict[str, Any],
    text: Annotated[
        list[Path] | None, typer.Argument(help="Text or CoNLL-U, one file or several; none: standard input.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output; - is standard output."), FILE] = Path("-"),
    n_best: Annotated[
        int, typer.Option(min=1, max=MOST, metavar="N", help="Write the N best (Moses' n-best format).")
    ] = 1,
    distinct: Annotated[bool, typer.Option("--distinct", help="Only translations that differ.")] = False,
    derivations: Annotated[str | None, typer.Option(metavar="json", help="Write derivations as JSON lines.")] = None,
    format: Annotated[
        str,
        typer.Option(
            autocompletion=names(FORMATS), metavar="NAME", help="Input: text, conllu, or auto (by name and content)."
        ),
    ] = "auto",
    search_graph: Annotated[
        Path | None,
        typer.Option(
            help="Also write the search graphs here: JSON lines, an edge per line; .osg: Moses' format; "
            "a folder that ends in .slf (HTK) or .cdec: a file for each sentence.",
        ),
        ByName(is_folder_name),
    ] = None,
    tokens: Annotated[bool, typer.Option("--tokens", help="Write tokens, without detokenising.")] = False,
    weights: Annotated[Path | None, typer.Option(help="Weights (TOML) instead of the model's own.")] = None,
    consensus: Annotated[
        bool, typer.Option("--consensus", help="Decode with translation consensus, trained with graphmt consensus.")
    ] = False,
    consensus_of: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The same, from a folder written by graphmt consensus --out.")
    ] = None,
    parser: ParserName = None,
    alignment: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the word alignment of each translation: positions i-j from 0."),
        FILE,
    ] = None,
    drop_unknown: Annotated[
        bool, typer.Option("--drop-unknown", help="Leave out unknown words instead of copying them.")
    ] = False,
    glossary: GlossaryFile = None,
    glossary_weight: GlossaryWeight = None,
    glossary_languages: GlossaryLanguages = None,
    xml_input: Annotated[
        str | None,
        typer.Option(
            autocompletion=names(XML_INPUT),
            metavar="MODE",
            help='Text may give translations, as in Moses: <n translation="…">words</n>. exclusive: only these; '
            "inclusive: they compete with rules.",
        ),
    ] = None,
    memory: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Translation memory (TMX, XLIFF, TSV, …): exact matches are taken, similar ones reported in JSON; "
            "repeat for several.",
        ),
    ] = None,
    memory_threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="X",
            help=f"Least similarity of reported matches. [dim]\\[default: {THRESHOLD}][/dim]",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=0, max=MOST_THREADS, metavar="N", help="Threads; 0: one per core.")] = 0,
    engine: EngineName = "local",
    master: Master = None,
) -> None:
    """Translate text, one sentence per line, CoNLL-U, or a localisation file.

    Systems that need trees parse text with the parser that they were trained with.

    Of a localisation file (PO, XLIFF, TMX, TSV, CSV, JSON, .strings, Android's strings.xml, HTML), untranslated units
    are filled and marked as machine translations. Everything else in it stays as it is.
    """
    if derivations not in (None, "json"):
        raise OptionError(f"--derivations takes json, not {derivations!r}.")
    if format not in FORMATS:
        raise OptionError(f"unknown input format {format!r}{nearest(format, FORMATS)}.")
    consensus = consensus or consensus_of is not None
    if consensus and search_graph:
        raise OptionError(
            "--search-graph does not work with --consensus.", hint="Leave out --search-graph or --consensus."
        )
    if consensus and weights:
        raise OptionError("consensus decoding has its own weights.", hint="Leave out --weights or --consensus.")
    if not memory and memory_threshold is not None:
        raise OptionError("--memory-threshold needs a translation memory.", hint="Give it with --memory FILE.")
    if (session := session_of(engine, master)) is not None:
        given = {
            "--search-graph": search_graph,
            "--consensus": consensus or None,
            "--glossary": glossary,
            "--glossary-weight": glossary_weight,
            "--glossary-languages": glossary_languages,
            "--xml-input": xml_input,
            "--memory": memory or None,
            "--parser": parser,
            "--drop-unknown": drop_unknown or None,
            "--format": None if format == "auto" else format,
        }
        if absent := [flag for flag, value in given.items() if value is not None]:
            raise OptionError(f"{absent[0]} does not work with the Spark engine.", hint="Leave out --engine.")
        wanted = Outputs(out, n_best, distinct, bool(derivations), tokens, alignment)
        failed = translate_on_spark(session, model, text or [], wanted, weights, search)
        if failed:
            note(f"{failed:,} sentences could not be translated; their lines are empty.")
        return
    plain = opened(model, weights, search, parser)
    if search_graph:
        require_format(search_graph, has_chart=plain.system.has_chart)
    plain = with_terms(plain, glossary, glossary_weight, glossary_languages, xml_input)
    if drop_unknown:
        plain = plain.dropping_unknown()
    if format == "auto" and any(map(is_document, text or [])):
        if (
            len(text or []) > 1
            or n_best > 1
            or derivations
            or search_graph
            or tokens
            or consensus
            or alignment
            or memory_threshold is not None
        ):
            raise OptionError(
                "a localisation file is translated alone, without other outputs and without consensus.",
                hint="Give one file and --out.",
            )
        _translate_document(plain, (text or [])[0], out, threads, memory)
        return
    threshold = THRESHOLD if memory_threshold is None else memory_threshold
    known = SentenceMemory.read(plain, memory, threshold=threshold) if memory else None
    taken = reported = contradicting = 0
    decoder = ConsensusDecoder.load(plain, consensus_of, threads=threads) if consensus else None
    size = decoder.options.chunk if decoder else None
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(writing(out))
        graphs = stack.enter_context(writing_graphs(search_graph)) if search_graph else None
        links = stack.enter_context(writing(alignment)) if alignment else None
        advance = stack.enter_context(bar("sentences", sentences_in(*text) if text else None))
        number = 0
        for chunk, names in chunks(text or [], format, plain, size):
            prepared = plain.prepare(chunk)
            plain.note_cuts(prepared, names)
            decoding = decoder.with_consensus(prepared) if decoder else plain
            n_best_of = partial(decoding.n_best_prepared, n=n_best, distinct=distinct, threads=threads)
            found = known.translate(chunk, prepared, n_best_of, threads=threads) if known else n_best_of(prepared)
            taken += sum(best[0].memory is not None and best[0].memory.taken for best in found)
            reported += sum(best[0].memory is not None and not best[0].memory.taken for best in found)
            contradicting += sum(
                best[0].memory is not None and best[0].memory.contradicts is not None for best in found
            )
            if graphs:
                for at, graph in enumerate(plain.search_graphs(prepared, threads=threads), number):
                    graphs(at, graph)
            for best in found:
                if links:
                    links.writelines(" ".join(f"{i}-{j}" for i, j in one.alignment) + "\n" for one in best)
                stream.writelines(_lines(number, best, n_best, bool(derivations), tokens))
                number += 1
            stream.flush()
            advance(number)
    if known:
        note(f"{taken:,} sentences are taken from the memory, {reported:,} others have similar ones in it.")
        _note_contradictions(contradicting)


def _note_contradictions(count: int) -> None:
    if count:
        note(f"{count:,} sentences are in the memory with translations that contradict the glossary: not taken.")


def _translate_document(model: Model, path: Path, out: Path, threads: int, memory: list[Path] | None) -> None:
    if str(out) == "-":
        raise OptionError("a localisation file needs a file to write.", hint=f"For example: --out done{path.suffix}")
    known = SentenceMemory.read(model, memory) if memory else None
    report = translate_document(model, path, out, threads=threads, memory=known)
    note(
        f"{out}: {report.filled:,} units filled and marked as machine translations, {report.others:,} others unchanged."
    )
    if known:
        note(f"{report.from_memory:,} sentences are taken from the memory.")
        _note_contradictions(report.contradicting)
    for line, repairs in report.repaired[:SHOWN]:
        note(f"{path}:{line}: repaired: {repairs}.")
    if len(report.repaired) > SHOWN:
        note(f"{len(report.repaired) - SHOWN:,} more units were repaired.")


def _lines(number: int, best: list[Translation], n: int, as_json: bool, tokens: bool) -> Iterator[str]:
    for rank, one in enumerate(best):
        if as_json:
            yield one.as_json(number, rank) + "\n"
        elif n > 1:
            yield one.as_moses(number) + "\n"
        else:
            yield (" ".join(one.tokens) if tokens else one.text) + "\n"
