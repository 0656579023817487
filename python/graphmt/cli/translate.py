"""``graphmt train`` and ``graphmt translate``."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.align import AlignOptions
from graphmt.cli.flags import with_options
from graphmt.consensus import ConsensusDecoder
from graphmt.corpus import Tree, is_conllu, read_trees
from graphmt.errors import OptionError
from graphmt.files import lines, writing
from graphmt.lm import LmOptions
from graphmt.model import Model, SearchOptions, Translation, load
from graphmt.options import nearest
from graphmt.progress import bar, note
from graphmt.rules import ExtractOptions, rule_kinds
from graphmt.selection import MODELS
from graphmt.systems import SYSTEMS
from graphmt.training import SidesOptions, Stages
from graphmt.training import train as train_model

#: Sentences translated at a time: enough for every thread, few enough to stream.
CHUNK = 256

FORMATS = ("auto", "text", "conllu")


@with_options(sides=SidesOptions, extract=ExtractOptions)
def train(
    model: Annotated[Path, typer.Argument(help="The model folder to write.")],
    source: Annotated[Path, typer.Option(help="Source side: text, or CoNLL-U with trees; plain or gzip.")],
    target: Annotated[Path, typer.Option(help="Target side: text, plain or gzip.")],
    sides: SidesOptions,
    extract: ExtractOptions,
    system: Annotated[str, typer.Option(metavar="NAME", help=f"One of: {', '.join(SYSTEMS)}.")] = "pbmt",
    alignment: Annotated[Path | None, typer.Option(help="Word alignment (i-j) instead of making one.")] = None,
    lm: Annotated[Path | None, typer.Option(help="Language model (graphmt lm) instead of making one.")] = None,
    rules_of: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Take the rules of this model, trained in the same way, as for --with."),
    ] = None,
    dev: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="SOURCE TARGET", help="Development set to tune the weights on (see graphmt tune)."),
    ] = None,
    selection: Annotated[
        str,
        typer.Option("--with", metavar="NAMES", help=f"Lexical selection to add, as gm,tsm: {', '.join(MODELS)}."),
    ] = "",
    aligner: Annotated[str, typer.Option(metavar="NAME", help="Model of word alignment.")] = AlignOptions().model,
    order: Annotated[int, typer.Option(metavar="N", help="Order of the language model.")] = LmOptions().order,
) -> None:
    """Train a system on a parallel corpus: word alignment, language model, rules, weights (tuned with --dev).

    A run that was stopped goes on where it was.
    """
    stages = Stages(sides=sides, extract=extract, align=AlignOptions(model=aligner), lm=LmOptions(order=order))
    made = train_model(
        system,
        source=source,
        target=target,
        out=model,
        alignment=alignment,
        language_model=lm,
        rules_of=rules_of,
        dev=dev,
        selection=[name.strip() for name in selection.split(",") if name.strip()],
        stages=stages,
    )
    rules = made.manifest.report["rules"]
    kinds = ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in rule_kinds(rules).items() if number)
    note(f"{model}: {system} with {kinds} rules from {rules['pairs']:,} pairs.")


@with_options(search=SearchOptions)
def translate(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    search: dict[str, Any],
    text: Annotated[Path, typer.Argument(help="Text or CoNLL-U; - is standard input.")] = Path("-"),
    out: Annotated[Path, typer.Option("--out", "-o", help="Output; - is standard output.")] = Path("-"),
    n_best: Annotated[int, typer.Option(min=1, metavar="N", help="Write the N best (Moses' n-best format).")] = 1,
    distinct: Annotated[bool, typer.Option("--distinct", help="Only translations that differ.")] = False,
    derivations: Annotated[
        str | None, typer.Option(metavar="json", help="Write derivations as JSON lines instead.")
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Input: text, conllu, or auto (by name and content; standard input by what the system needs).",
        ),
    ] = "auto",
    search_graph: Annotated[
        Path | None, typer.Option(help="Also write the search graph here: an arc a line, as JSON.")
    ] = None,
    tokens: Annotated[bool, typer.Option("--tokens", help="Tokens as they are, nothing undone.")] = False,
    weights: Annotated[Path | None, typer.Option(help="Weights (TOML) instead of the model's own.")] = None,
    consensus: Annotated[
        bool, typer.Option("--consensus", help="Decode with translation consensus, as graphmt consensus taught it.")
    ] = False,
    threads: Annotated[int, typer.Option(min=0, metavar="N", help="Threads; 0 is one for each core.")] = 0,
) -> None:
    """Translate text, a sentence a line, or CoNLL-U, for systems that need trees."""
    if derivations not in (None, "json"):
        raise OptionError(f"derivations come as json, not {derivations!r}.")
    if format not in FORMATS:
        raise OptionError(f"there is no input format {format!r}{nearest(format, FORMATS)}.")
    opened = load(model, weights=weights, **search)
    decoder = ConsensusDecoder.load(opened, threads=threads) if consensus else None
    if decoder and search_graph:
        raise OptionError("a search graph does not show consensus.", hint="Leave out --search-graph or --consensus.")
    size = decoder.options.chunk if decoder else _chunk_size(text)
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(writing(out))
        graphs = stack.enter_context(writing(search_graph)) if search_graph else None
        advance = stack.enter_context(bar("sentences"))
        number = 0
        for chunk in _chunks(sentences(text, format, opened), size):
            prepared = opened.prepare(chunk)
            judged = decoder.judged(prepared) if decoder else opened
            found = judged.n_best_prepared(prepared, n_best, distinct=distinct, threads=threads)
            for sentence, best in zip(chunk, found, strict=True):
                stream.writelines(_lines(number, best, n_best, bool(derivations), tokens))
                if graphs:
                    arcs = opened.search_graph(sentence).splitlines()
                    graphs.writelines(f'{{"sentence": {number}, {arc[1:]}\n' for arc in arcs)
                number += 1
            stream.flush()
            advance(number)


def _lines(number: int, best: list[Translation], n: int, as_json: bool, tokens: bool) -> Iterator[str]:
    for rank, one in enumerate(best):
        if as_json:
            yield one.as_json(number, rank) + "\n"
        elif n > 1:
            yield one.as_moses(number) + "\n"
        else:
            yield (" ".join(one.tokens) if tokens else one.text) + "\n"


def sentences(path: Path, format: str, model: Model) -> Iterator[str | Tree]:
    """The sentences of a file as a model wants them."""
    if format == "auto" and os.fspath(path) == "-":
        # Standard input is not looked into: a person may be typing.
        trees = model.needs_trees
    else:
        trees = format == "conllu" or (format == "auto" and is_conllu(path))
    return iter(read_trees(path) if trees else lines(path))


def _chunk_size(path: Path) -> int:
    # A person who types wants an answer to every line.
    return 1 if os.fspath(path) == "-" and sys.stdin.isatty() else CHUNK


def _chunks(sentences: Iterator[str | Tree], size: int) -> Iterator[list[str | Tree]]:
    while chunk := list(itertools.islice(sentences, size)):
        yield chunk
