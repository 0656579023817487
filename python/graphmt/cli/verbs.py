"""The verbs of the ``graphmt`` command. Their logic lives in the package, not here."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer
from typer.main import get_command as command_of
from typer.main import get_group as group_of

import graphmt
from graphmt.cli.display import show_messages
from graphmt.cli.help import App, HelpGroup, Quiet

#: Verbs and groups of verbs, in the order of the help text: the title above them, module and name of the function or
#: of the group. A module is imported when its verb is used.
VERBS = {
    "options": ("Look", "options", "options"),
    "demo": ("Look", "demo", "demo"),
    "explain": ("Look", "explain", "explain"),
    "inspect": ("Look", "inspect", "app"),
    "train": ("Translate", "train", "train"),
    "tune": ("Translate", "tune", "tune"),
    "translate": ("Translate", "translate", "translate"),
    "serve": ("Translate", "serve", "serve"),
    "consensus": ("Translate", "consensus", "consensus"),
    "rerank": ("Translate", "rerank", "rerank"),
    "corpus": ("Prepare", "corpus", "app"),
    "parser": ("Prepare", "parser", "app"),
    "align": ("Prepare", "align", "align"),
    "aer": ("Prepare", "align", "aer"),
    "lm": ("Prepare", "lm", "app"),
    "evaluate": ("Measure", "evaluate", "evaluate"),
    "compare": ("Measure", "evaluate", "compare_systems"),
    "experiment": ("Measure", "experiment", "experiment"),
}


class Verbs(HelpGroup):
    """The command with its verbs, each of which is made when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all verbs."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb of this name."""
        if cmd_name in VERBS and cmd_name not in self.commands:
            title, module, name = VERBS[cmd_name]
            declared = getattr(importlib.import_module(f"graphmt.cli.{module}"), name)
            part = App()
            if isinstance(declared, App):
                part.add_typer(declared, name=cmd_name, rich_help_panel=title)
            else:
                part.command(cmd_name, rich_help_panel=title)(declared)
            self.commands[cmd_name] = group_of(part).commands[cmd_name]
        return super().get_command(ctx, cmd_name)


#: The command with all its verbs.
app = App(
    name="graphmt",
    cls=Verbs,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def with_all_verbs() -> Any:
    """The command with every verb made, for pages about all of them."""
    root: Any = command_of(app)
    for name in VERBS:
        root.get_command(None, name)
    return root


def _version(wanted: bool) -> None:
    if wanted:
        print(f"graphmt {graphmt.__version__}")
        raise typer.Exit


@app.callback()
def tour(
    quiet: Quiet = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Graph-based statistical machine translation.

    \b
    Try it on built-in data:             [bold]graphmt demo[/bold]
    Clean and inspect a corpus:          [bold]graphmt corpus clean[/bold], [bold]stats[/bold]
    Parse the source side:               [bold]graphmt corpus parse[/bold]
    Train and evaluate parsers:          [bold]graphmt parser train[/bold], [bold]evaluate[/bold]
    Align words, score alignments:       [bold]graphmt align[/bold], [bold]graphmt aer[/bold]
    Train and query language models:     [bold]graphmt lm train[/bold], [bold]score[/bold]
    Train a system:                      [bold]graphmt train[/bold]
    Tune its weights:                    [bold]graphmt tune[/bold]
    Translate, n-best, derivations:      [bold]graphmt translate[/bold]
    Serve models over HTTP, with a page: [bold]graphmt serve[/bold]
    Train consensus decoding:            [bold]graphmt consensus[/bold]
    Re-rank any system's n-best lists:   [bold]graphmt rerank[/bold]
    Inspect a model:                     [bold]graphmt inspect rules[/bold]
    Explain lexical selection:           [bold]graphmt explain[/bold]
    Score and compare systems:           [bold]graphmt evaluate[/bold], [bold]graphmt compare[/bold]
    Reproduce a paper's tables:          [bold]graphmt experiment[/bold]
    List all options:                    [bold]graphmt options[/bold]

    Text may be plain, .gz, .bz2, .xz or .zst; - is standard input or output. Results go to standard output,
    messages to standard error.

    Exit codes: 0 success, 1 bad input, 2 bad option, 3 missing package, 70 bug in graphmt, 130 interrupted,
    143 terminated.
    """
    show_messages(quiet=quiet)
