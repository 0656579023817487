"""``graphmt explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.cli.flags import with_options
from graphmt.cli.translate import sentences
from graphmt.explain import explain as explain_sentence
from graphmt.files import writing
from graphmt.model import SearchOptions, load
from graphmt.progress import note


@with_options(search=SearchOptions)
def explain(
    model: Annotated[Path, typer.Argument(help="A model folder with lexical selection.")],
    search: dict[str, Any],
    text: Annotated[Path, typer.Argument(help="Text or CoNLL-U; - is standard input.")] = Path("-"),
    svg: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also write each translation graph here, as SVG.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="Candidates shown for a word.")] = 5,
    weights: Annotated[Path | None, typer.Option(help="Weights (TOML) instead of the model's own.")] = None,
) -> None:
    """Show what lexical selection does: the translation graph of each sentence, the choice with and without it."""
    opened = load(model, weights=weights, **search)
    if svg is not None:
        svg.mkdir(parents=True, exist_ok=True)
    for number, sentence in enumerate(sentences(text, "auto", opened), 1):
        found = explain_sentence(opened, sentence, most=most)
        print(found.text + "\n")
        for k, graph in enumerate(found.graphs, 1):
            if svg is not None:
                with writing(svg / f"sentence-{number}-graph-{k}.svg") as out:
                    out.write(graph.svg)
    if svg is not None:
        note(f"The pictures are in {svg}.")
