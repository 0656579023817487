"""``graphmt tune``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphmt.cli.display import note
from graphmt.cli.flags import with_options
from graphmt.cli.inputs import GlossaryFile, GlossaryLanguages, GlossaryWeight, ParserName, opened, with_terms
from graphmt.model import SearchOptions
from graphmt.tune import TuneOptions, tune_model


@with_options(tune=TuneOptions, search=SearchOptions)
def tune(
    model: Annotated[Path, typer.Argument(help="A model folder.")],
    source: Annotated[Path, typer.Option(help="Source side of the development set: text or CoNLL-U.")],
    target: Annotated[list[Path], typer.Option(help="Its reference translation; repeat for several.")],
    tune: TuneOptions,
    search: dict[str, Any],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Weights file to write; default: the model's own.")
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
    result = tune_model(start, source, target, tune, out=out)
    first = result.history[0].bleu
    note(
        f"{out or model}: dev BLEU {result.bleu:.2f} ({first:.2f} before tuning), "
        f"{len(result.history)} iterations, stopped: {result.stopped}."
    )
