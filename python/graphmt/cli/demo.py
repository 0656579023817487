"""``graphmt demo``: the tour."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmt.cli.flags import with_options
from graphmt.cli.outputs import FOLDER
from graphmt.demo.corpus import DemoOptions


@with_options(demo=DemoOptions)
def demo(
    demo: DemoOptions,
    out: Annotated[Path, typer.Option(help="Folder for all output."), FOLDER] = Path("demo-output"),
) -> None:
    """Show the whole pipeline on a built-in synthetic German-English corpus, with pictures."""

    from rich.console import Console

    from graphmt.demo.tour import show, tour

    console = Console(highlight=False)
    made = tour(out, demo, lambda text: console.print(text, markup=False, soft_wrap=True))
    show(made, console)
    console.print(f"\nThe systems side by side: {made.report}", soft_wrap=True)
    console.print("The corpus is synthetic; these figures say nothing about translation quality.")
    shown = " ".join(str(out / name) for name in ("hpb", "pbmt", "gbmt-ctx", "hpb+gm"))
    console.print(
        f"\nTo see how these models translate what you type (needs the extra 'serve'):\n\n  graphmt serve {shown}\n\n"
        "Then open http://127.0.0.1:5000/ in a browser. gbmt-ctx and hpb+gm translate trees: paste a sentence of\n"
        f"{out / 'corpus' / 'test.de.conllu'}.",
        soft_wrap=True,
        markup=False,
    )
