"""``graphmt explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.cli.display import note
from graphmt.cli.flags import with_options
from graphmt.cli.inputs import chunks, opened
from graphmt.cli.outputs import FOLDER
from graphmt.model import SearchOptions
from graphmt.options import MOST
from graphmt.storage.files import writing


@with_options(search=SearchOptions)
def explain(
    model: Annotated[Path, typer.Argument(help="A model folder with lexical selection.")],
    search: dict[str, Any],
    text: Annotated[
        list[Path] | None, typer.Argument(help="Text or CoNLL-U, one file or several; none: standard input.")
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also write each translation graph here, as SVG."), FOLDER
    ] = None,
    most: Annotated[int, typer.Option(min=1, max=MOST, metavar="N", help="Candidates shown per word.")] = 5,
    weights: Annotated[Path | None, typer.Option(help="Weights (TOML) instead of the model's own.")] = None,
) -> None:
    """Show what lexical selection does: the translation graph of each sentence, the choice with and without it."""
    from graphmt.explain import explain_some

    selecting = opened(model, weights, search)
    number = 0
    for chunk, names in chunks(text or [], "auto", selecting):
        for found in explain_some(selecting, chunk, range(len(chunk)), most=most, names=names):
            number += 1
            print(found.text + "\n")
            if svg is not None:
                for k, graph in enumerate(found.graphs, 1):
                    with writing(svg / f"sentence-{number}-graph-{k}.svg") as out:
                        out.write(graph.svg)
    if svg is not None:
        note(f"Wrote the pictures to {svg}.")
