"""``graphmt experiment``: the papers' tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmt.cli.flags import with_options
from graphmt.errors import OptionError
from graphmt.experiments import RECIPES, ExperimentOptions, recipe, run
from graphmt.experiments.runner import tables
from graphmt.storage.resume import resumable


@with_options(experiment=ExperimentOptions)
def experiment(
    experiment: ExperimentOptions,
    name: Annotated[str | None, typer.Argument(help="The experiment; --list shows them.")] = None,
    data: Annotated[
        Path | None, typer.Option(help="The folder of the corpora: NAME-de-en/train.de.conllu.gz, train.en.gz …")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for everything that is made.")] = None,
    corpus: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A corpus instead of the recipe's; again for more.")
    ] = None,
    arm: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this system, beside what it is compared with; again for more."),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the experiments and stop.")] = False,
) -> None:
    """Reproduce a paper's tables: train, tune with several seeds, translate, score, test.

    Everything is kept, and a run that was stopped goes on where it was.
    """
    if list_all:
        for one in RECIPES.values():
            print(f"{one.name}: {one.summary}. Corpora: {', '.join(one.corpora)}. {one.paper}.")
        return
    if name is None:
        raise OptionError("which experiment?", hint="graphmt experiment --list names them.")
    chosen = recipe(name)
    if data is None or out is None:
        raise OptionError("an experiment needs --data FOLDER and --out FOLDER.")
    with resumable(f"run the same command again to resume; finished work is kept in {out}."):
        run(chosen, data, out, experiment, corpora=corpus or (), arms=arm or ())
    print(tables(out, chosen).read_text("utf-8"), end="")
