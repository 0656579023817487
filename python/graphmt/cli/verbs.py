"""The verbs of the ``graphmt`` command. What a verb does lives in the package, not here."""

from __future__ import annotations

from typing import Annotated

import typer

import graphmt
from graphmt import options as pages
from graphmt.cli import (
    align,
    consensus,
    corpus,
    demo,
    evaluate,
    experiment,
    explain,
    inspect,
    lm,
    rerank,
    translate,
    tune,
)
from graphmt.progress import set_quiet
from graphmt.stages import STAGES

#: The command with all its verbs.
app = typer.Typer(
    name="graphmt",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"graphmt {graphmt.__version__}")
        raise typer.Exit


@app.callback()
def tour(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress bars.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Graph-based statistical machine translation.

    A first look, on built-in data:      [bold]graphmt demo[/bold]

    Clean a corpus and look at it:       [bold]graphmt corpus clean[/bold], [bold]stats[/bold]

    Dependency trees for the source:     [bold]graphmt corpus parse[/bold]

    Which word translates which:         [bold]graphmt align[/bold], [bold]graphmt aer[/bold]

    What good target text looks like:    [bold]graphmt lm train[/bold], [bold]score[/bold]

    A system from a parallel corpus:     [bold]graphmt train[/bold]

    Its weights, from a dev set:         [bold]graphmt tune[/bold]

    Translations, n-best, derivations:   [bold]graphmt translate[/bold]

    A chart that hears similar spans:    [bold]graphmt consensus[/bold]

    Any system's n-best, with a memory:  [bold]graphmt rerank[/bold]

    What a model knows:                  [bold]graphmt inspect rules[/bold]

    What lexical selection did:          [bold]graphmt explain[/bold]

    How good it is, and than which:      [bold]graphmt evaluate[/bold], [bold]graphmt compare[/bold]

    A paper's table, step by step:       [bold]graphmt experiment[/bold]

    Every option of every stage:         [bold]graphmt options[/bold]

    Text may be plain or gzip; - is standard input or output. Results go to standard output, notes to standard error.

    Exit codes: 0 done, 1 bad input, 2 bad option, 3 a package is missing, 70 a defect of graphmt, 130 interrupted,
    143 terminated.
    """
    set_quiet(quiet)


@app.command(rich_help_panel="Look")
def options(
    markdown: Annotated[bool, typer.Option("--markdown", help="As a page of the documentation.")] = False,
) -> None:
    """Print every option of every stage with its default, as a TOML file for [bold]--config[/bold]."""
    print(pages.markdown(STAGES) if markdown else pages.template(STAGES), end="")


app.command(rich_help_panel="Look")(demo.demo)
app.command(rich_help_panel="Look")(explain.explain)
app.add_typer(inspect.app, name="inspect", help="What is in a model; Moses tables in and out.", rich_help_panel="Look")
app.command(rich_help_panel="Translate")(translate.train)
app.command(rich_help_panel="Translate")(tune.tune)
app.command(rich_help_panel="Translate")(translate.translate)
app.command(rich_help_panel="Translate")(consensus.consensus)
app.command(rich_help_panel="Translate")(rerank.rerank)
app.add_typer(
    corpus.app, name="corpus", help="Text and trees: clean, count, tokenise, parse.", rich_help_panel="Prepare"
)
app.command(rich_help_panel="Prepare")(align.align)
app.command(rich_help_panel="Prepare")(align.aer)
app.add_typer(lm.app, name="lm", help="Language models: train, score, convert.", rich_help_panel="Prepare")
evaluate.register(app)
app.command(rich_help_panel="Measure")(experiment.experiment)
