"""``graphmt tune``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.cli.display import note
from graphmt.cli.flags import with_options
from graphmt.cli.inputs import (
    GlossaryFile,
    GlossaryLanguages,
    GlossaryWeight,
    ParserName,
    chosen_sides,
    opened,
    with_terms,
)
from graphmt.cli.outputs import FILE
from graphmt.cli.pairs import Columns, Header, parsed_columns
from graphmt.model import SearchOptions
from graphmt.tune import TuneOptions


@with_options(tune=TuneOptions, search=SearchOptions)
def tune(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    tune: TuneOptions,
    search: dict[str, Any],
    pairs: Annotated[
        Path | None, typer.Argument(help="Development set, as a file of pairs; or give --source and --target.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Source side of the development set: text or CoNLL-U.")
    ] = None,
    target: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Its reference translation; repeat for several.")
    ] = None,
    columns: Columns = None,
    header: Header = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Weights file to write; default: the model's own."), FILE
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="Weights to start from instead of the model's own.")] = None,
    parser: ParserName = None,
    glossary: GlossaryFile = None,
    glossary_weight: GlossaryWeight = None,
    glossary_languages: GlossaryLanguages = None,
) -> None:
    """Tune the weights of a model on a development set, by default for BLEU.

    Interrupted runs resume. The initial weights are kept as weights.start.toml.
    """
    start = with_terms(opened(model, weights, search, parser), glossary, glossary_weight, glossary_languages)
    given, references = chosen_sides(pairs, source, target)
    from graphmt.tune import tune_model

    result = tune_model(start, given, references, tune, out=out, columns=parsed_columns(columns), header=header)
    first = result.history[0].bleu
    note(
        f"{out or model}: dev BLEU {result.bleu:.2f} ({first:.2f} before tuning), "
        f"{len(result.history)} iterations, stopped: {result.stopped}."
    )
