"""``graphmt experiment``: the papers' tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmt.cli.engine import EngineName, Master, session_of
from graphmt.cli.flags import names, with_options
from graphmt.cli.outputs import FOLDER
from graphmt.errors import OptionError
from graphmt.experiments.declared import Declared
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.recipes import RECIPES
from graphmt.storage.resume import resumable


@with_options(experiment=ExperimentOptions, declared=Declared)
def experiment(
    experiment: ExperimentOptions,
    declared: Declared,
    name: Annotated[
        str | None, typer.Argument(help="Name of the experiment (see --list).", autocompletion=names(RECIPES))
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The folder of the corpora: NAME-de-en/train.de.conllu.gz, train.en.gz …")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for all output."), FOLDER] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A corpus instead of the recipe's; repeat for several."),
    ] = None,
    arm: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this system and those it is compared with; repeat for several."),
    ] = None,
    engine: EngineName = "local",
    master: Master = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the experiments and exit.")] = False,
) -> None:
    """Reproduce a paper's tables: train, tune with several seeds, translate, score, test.

    Options in a file of --config change all systems that read them; its arms declare a table of your own.

    All intermediate results are kept; interrupted runs resume.
    """
    if list_all:
        for one in RECIPES.values():
            print(f"{one.name}: {one.summary}. Corpora: {', '.join(one.corpora)}. {one.paper}.")
        return
    chosen = declared.recipe(name)
    if data is None or out is None:
        raise OptionError("an experiment needs --data FOLDER and --out FOLDER.")
    from graphmt.experiments.runner import run, tables

    with resumable(f"run the same command again to resume; finished work is kept in {out}."):
        spread = None
        if (session := session_of(engine, master)) is not None:
            from graphmt.spark import spread_over

            spread = spread_over(session)
        run(chosen, data, out, experiment, corpora=corpus or (), arms=arm or (), spread=spread)
    print(tables(out, chosen).read_text("utf-8"), end="")
