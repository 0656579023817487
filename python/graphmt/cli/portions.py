"""``graphmt corpus head``, ``sample`` and ``split``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmt.cli.display import note
from graphmt.cli.help import App
from graphmt.cli.outputs import FILE, FOLDER
from graphmt.corpus import portions
from graphmt.options import MOST

Files = Annotated[list[Path], typer.Argument(help="Text or CoNLL-U; several files are parallel.")]
Outs = Annotated[
    list[Path], typer.Option("--out", "-o", metavar="FILE", help="Output; once for each file, in their order."), FILE
]
Count = Annotated[int, typer.Option("--count", "-n", min=1, max=MOST, metavar="N", help="Number of sentences.")]
Seed = Annotated[int, typer.Option(min=0, max=MOST, metavar="N", help="Random seed.")]


def head(files: Files, out: Outs, count: Count = 10) -> None:
    """Write the first sentences of a corpus: lines of text, or whole trees."""
    note(f"Sentences: {portions.head(files, out, count):,}.")


def sample(files: Files, out: Outs, count: Count, seed: Seed = 1) -> None:
    """Write a random sample of a corpus, in its order."""
    note(f"Sentences: {portions.sample(files, out, count, seed=seed):,}.")


def split(
    files: Files,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Gets folders train, dev and test."), FOLDER
    ],
    dev: Annotated[int, typer.Option(min=0, max=MOST, metavar="N", help="Sentences of the development set.")] = 0,
    test: Annotated[int, typer.Option(min=0, max=MOST, metavar="N", help="Sentences of the test set.")] = 0,
    seed: Seed = 1,
) -> None:
    """Split a corpus at random into training, development and test sets; files keep their names."""
    made = portions.split(files, out, dev=dev, test=test, seed=seed)
    note(f"{out}: {', '.join(f'{part} {count:,}' for part, count in made.items())}.")


def register(app: App) -> None:
    """Add the verbs."""
    for verb in (head, sample, split):
        app.command()(verb)
