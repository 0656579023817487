"""The ``graphmt`` command: one verb, one thin function. What a verb does lives in the package, not here."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import graphmt
from graphmt import options as pages
from graphmt.cli import align as align_commands
from graphmt.cli import corpus, inspect, lm, translate, tune
from graphmt.errors import GraphmtError
from graphmt.progress import console, set_quiet
from graphmt.stages import STAGES

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
    """Graph-based statistical machine translation."""
    set_quiet(quiet)


@app.command(rich_help_panel="Look")
def options(
    markdown: Annotated[bool, typer.Option("--markdown", help="As a page of the documentation.")] = False,
) -> None:
    """Print every option of every stage with its default, as a TOML file for [bold]--config[/bold]."""
    print(pages.markdown(STAGES) if markdown else pages.template(STAGES), end="")


app.command(rich_help_panel="Translate")(translate.train)
app.command(rich_help_panel="Translate")(tune.tune)
app.command(rich_help_panel="Translate")(translate.translate)
app.add_typer(corpus.app, name="corpus", help="Text and trees in.", rich_help_panel="Prepare")
align_commands.register(app)
app.add_typer(lm.app, name="lm", help="Language models.", rich_help_panel="Prepare")
app.add_typer(inspect.app, name="inspect", help="What is in a model.", rich_help_panel="Look")


def main() -> None:
    """Run the command; every foreseen failure ends in one sentence and an exit code."""
    try:
        app()
    except GraphmtError as error:
        console.quiet = False
        console.print(f"graphmt: {error}", markup=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has gone (``| head``): that is no failure of ours.
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        console.print("graphmt: interrupted; nothing half-written was left behind.", markup=False)
        sys.exit(130)
