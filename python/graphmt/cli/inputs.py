"""Input of commands that translate: sentences from files or standard input, in chunks."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from graphmt.cli.pipes import ArrivingLines, format_of_input, is_live
from graphmt.corpus import Tree, read_sentences, read_trees
from graphmt.errors import GraphmtError, OptionError
from graphmt.model import Model, load
from graphmt.storage.files import lines, name_of
from graphmt.storage.temporary import temporary_folder

#: Sentences translated at a time: enough for every thread, few enough to stream.
CHUNK = 256
#: The same for files that a model parses.
PARSED_CHUNK = 4096

FORMATS = ("auto", "text", "conllu")

STANDARD_INPUT = Path("-")

#: For commands that open a model.
ParserName = Annotated[
    str | None,
    typer.Option(
        "--parser", metavar="KIND:MODEL", help="Parser of raw text, instead of the one that the model remembers."
    ),
]


GlossaryFile = Annotated[
    Path | None,
    typer.Option(
        "--glossary",
        metavar="FILE",
        help="Terms with translations that are required, preferred or forbidden: TSV or TBX.",
    ),
]

GlossaryWeight = Annotated[
    float | None,
    typer.Option(
        "--glossary-weight",
        metavar="W",
        help="Weight of preferred terms (feature glossary). [dim]\\[default: tuned, or 1][/dim]",
    ),
]

GlossaryLanguages = Annotated[
    tuple[str, str] | None,
    typer.Option("--glossary-languages", metavar="SOURCE TARGET", help="Languages of a TBX glossary, e.g. de en."),
]


Chosen = TypeVar("Chosen", Path, list[Path])


def chosen_sides(
    pairs: Chosen | None, source: Chosen | None, target: list[Path] | None
) -> tuple[Chosen, list[Path] | None]:
    """The corpus of a command: files of pairs and None, or two sides; exactly one of these must be given."""
    if pairs and not source and not target:
        return pairs, None
    if source and target and not pairs:
        return source, target
    raise OptionError(
        "pairs are given twice." if pairs else "both sides of the corpus are needed.",
        hint="Give a file of pairs (PO, XLIFF, TMX, TSV, CSV, Parquet), or --source FILE and --target FILE.",
    )


def with_terms(
    model: Model,
    glossary: Path | None,
    weight: float | None,
    languages: tuple[str, str] | None,
    xml_input: str | None = None,
) -> Model:
    """The model with a glossary and with marked input, as far as they are asked for."""
    if glossary is None and (languages is not None or (weight is not None and xml_input is None)):
        option = "--glossary-weight" if languages is None else "--glossary-languages"
        raise OptionError(f"{option} needs a glossary.", hint="Give it with --glossary FILE.")
    if glossary is not None:
        model = model.with_glossary(glossary, weight=weight, languages=languages)
    return model.with_xml_input(xml_input, weight=weight) if xml_input is not None else model


def opened(folder: Path, weights: Path | None, search: dict[str, Any], parser: str | None = None) -> Model:
    """A model opened with search options, which parses in several processes."""
    model = load(folder, weights=weights, parser=parser, **search)
    model.parse_in_processes()
    return model


def chunks(
    texts: Sequence[Path], format: str, model: Model, size: int | None = None
) -> Iterator[tuple[list[str | Tree], list[str]]]:
    """Chunks of sentences, with a name for each to use in messages.

    For models that use documents, a document is never split, and it ends with its file.
    """
    names: deque[str] = deque()

    def named(path: Path) -> Iterator[str | Tree]:
        for number, sentence in enumerate(_sentences(path, format, model), 1):
            names.append(f"{name_of(path)}, {'sentence' if isinstance(sentence, Tree) else 'line'} {number}")
            yield sentence

    if not texts and size is None and not model.sees_documents and not _reads_trees(format, model) and is_live():
        yield from _arriving(format)
        return
    files = (named(path) for path in texts or [STANDARD_INPUT])
    streams = files if model.sees_documents else iter([itertools.chain.from_iterable(files)])
    # Interactive use: answer every line. Several processes parse a large chunk.
    usual = CHUNK if model.parser is None or not texts else PARSED_CHUNK
    size = 1 if not texts and sys.stdin.isatty() else size or usual
    for stream in streams:
        for chunk in model.chunks(stream, size):
            yield chunk, [names.popleft() for _ in chunk]


def _reads_trees(format: str, model: Model) -> bool:
    """Whether the input has to be CoNLL-U."""
    return format == "conllu" or (model.needs_trees and model.parser is None)


def _arriving(format: str) -> Iterator[tuple[list[str | Tree], list[str]]]:
    """The chunks of a pipe, each as soon as there is one."""
    done = 0
    for chunk in _arriving_chunks(format):
        kind = "sentence" if isinstance(chunk[0], Tree) else "line"
        yield chunk, [f"{name_of(STANDARD_INPUT)}, {kind} {done + at}" for at in range(1, len(chunk) + 1)]
        done += len(chunk)


def _arriving_chunks(format: str) -> Iterator[list[Any]]:
    if format_of_input(format) == "text":
        return ArrivingLines(sys.stdin.buffer).chunks(CHUNK)
    return _batches(_whole_input(format))


def _batches(sentences: Iterator[str | Tree]) -> Iterator[list[str | Tree]]:
    while chunk := list(itertools.islice(sentences, CHUNK)):
        yield chunk


def _whole_input(format: str) -> Iterator[str | Tree]:
    """Standard input of a format that is not read line by line, from a temporary copy."""
    with temporary_folder("input") as folder:
        copy = folder / "input"
        with copy.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        try:
            yield from lines(copy) if format == "text" else read_sentences(copy)
        except GraphmtError as error:
            if error.file == os.fspath(copy):
                error.file = name_of(STANDARD_INPUT)
            raise


def _sentences(path: Path, format: str, model: Model) -> Iterator[str | Tree]:
    if format == "auto":
        if os.fspath(path) != "-" or not sys.stdin.isatty():
            return read_sentences(path)
        # Interactive use: no lookahead to detect the format.
        format = "conllu" if model.needs_trees and model.parser is None else "text"
    return read_trees(path) if format == "conllu" else lines(path)
