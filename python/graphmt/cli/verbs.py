"""The verbs of the ``graphmt`` command. Their logic lives in the package, not here."""

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
    parser,
    rerank,
    serve,
    translate,
    tune,
)
from graphmt.cli.display import show_messages
from graphmt.cli.help import App
from graphmt.stages import STAGES

#: The command with all its verbs.
app = App(
    name="graphmt",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"graphmt {graphmt.__version__}")
        raise typer.Exit


@app.callback()
def tour(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages and no progress bars.")] = False,
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

    Text may be plain or gzip; - is standard input or output. Results go to standard output, messages to standard error.

    Exit codes: 0 success, 1 bad input, 2 bad option, 3 missing package, 70 bug in graphmt, 130 interrupted,
    143 terminated.
    """
    show_messages(quiet=quiet)


@app.command(rich_help_panel="Look")
def options(
    markdown: Annotated[bool, typer.Option("--markdown", help="As a documentation page.")] = False,
) -> None:
    """Print every option of every stage with its default, as a TOML file for [bold]--config[/bold]."""
    print(pages.markdown(STAGES) if markdown else pages.template(STAGES), end="")


app.command(rich_help_panel="Look")(demo.demo)
app.command(rich_help_panel="Look")(explain.explain)
app.add_typer(
    inspect.app, name="inspect", help="Inspect models; import and export Moses tables.", rich_help_panel="Look"
)
app.command(rich_help_panel="Translate")(translate.train)
app.command(rich_help_panel="Translate")(tune.tune)
app.command(rich_help_panel="Translate")(translate.translate)
app.command(rich_help_panel="Translate")(serve.serve)
app.command(rich_help_panel="Translate")(consensus.consensus)
app.command(rich_help_panel="Translate")(rerank.rerank)
app.add_typer(
    corpus.app, name="corpus", help="Text and trees: clean, count, tokenise, parse, split.", rich_help_panel="Prepare"
)
app.add_typer(parser.app, name="parser", help="Parsers: train, evaluate.", rich_help_panel="Prepare")
app.command(rich_help_panel="Prepare")(align.align)
app.command(rich_help_panel="Prepare")(align.aer)
app.add_typer(lm.app, name="lm", help="Language models: train, score, convert.", rich_help_panel="Prepare")
evaluate.register(app)
app.command(rich_help_panel="Measure")(experiment.experiment)
