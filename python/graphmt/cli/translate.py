"""``graphmt translate``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmt.cli.display import note
from graphmt.cli.engine import EngineName, Master, session_of
from graphmt.cli.flags import names, with_options
from graphmt.cli.inputs import (
    FORMATS,
    GlossaryFile,
    GlossaryLanguages,
    GlossaryWeight,
    ParserName,
    chunks,
    opened,
    with_terms,
)
from graphmt.cli.outputs import FILE, ByName
from graphmt.cli.spark_translation import Outputs, translate_on_spark
from graphmt.errors import OptionError
from graphmt.glossary import XML_INPUT
from graphmt.model import Model, SearchOptions, SentenceMemory, Translation
from graphmt.model.memory import THRESHOLD
from graphmt.options import MOST, MOST_THREADS, nearest
from graphmt.progress import bar, sentences_in
from graphmt.searchgraph import is_folder_name, require_format, writing_graphs
from graphmt.storage.files import writing

if TYPE_CHECKING:
    from graphmt.consensus import ConsensusDecoder

#: Repaired units that are listed.
SHOWN = 10


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
    from graphmt.localisation import is_document

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
    decoder = _consensus_decoder(plain, consensus_of, threads) if consensus else None
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


def _consensus_decoder(model: Model, folder: Path | None, threads: int) -> ConsensusDecoder:
    from graphmt.consensus import ConsensusDecoder

    return ConsensusDecoder.load(model, folder, threads=threads)


def _note_contradictions(count: int) -> None:
    if count:
        note(f"{count:,} sentences are in the memory with translations that contradict the glossary: not taken.")


def _translate_document(model: Model, path: Path, out: Path, threads: int, memory: list[Path] | None) -> None:
    if str(out) == "-":
        raise OptionError("a localisation file needs a file to write.", hint=f"For example: --out done{path.suffix}")
    from graphmt.localisation import translate_document

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
