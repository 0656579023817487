"""Progress bars on a terminal, silence elsewhere: standard output is for results, standard error for this."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

#: Messages for the user. ``quiet`` is set by the command line.
console = Console(stderr=True, highlight=False)

#: Called with the number of units done so far.
Advance = Callable[[int], None]


def set_quiet(quiet: bool) -> None:
    """Turn off messages and bars (errors are still printed)."""
    console.quiet = quiet


def note(text: str) -> None:
    """Print a one-line message to standard error."""
    console.print(text, markup=False, soft_wrap=True)


class _Count(ProgressColumn):
    """Units done, and the total where it is known."""

    def render(self, task: Task) -> Text:
        done = f"{int(task.completed):,}"
        return Text(done if task.total is None else f"{done}/{int(task.total):,}", style="progress.download")


def sentences_in(*paths: str | os.PathLike[str]) -> int | None:
    """The number of sentences in files, for a bar; None if a file is compressed or cannot be read twice.

    Nothing is counted where no bar is shown.
    """
    if console.quiet or not console.is_terminal:
        return None
    total = 0
    for path in map(Path, paths):
        try:
            if not path.is_file():
                return None
            # A sentence of CoNLL-U ends with an empty line.
            mark = b"\n\n" if path.suffix == ".conllu" else b"\n"
            with path.open("rb") as stream:
                last = b""
                while block := stream.read(1 << 20):
                    if not last and block.startswith(b"\x1f\x8b"):
                        return None
                    total += (last + block).count(mark)
                    last = block[-1:] if len(mark) > 1 else b"-"
        except OSError:
            return None
    return total


@contextlib.contextmanager
def bar(title: str, total: int | None = None) -> Iterator[Advance]:
    """A bar while the block runs; yields a function that takes the number of units done so far."""
    if console.quiet or not console.is_terminal:
        yield lambda done: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        _Count(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda done: progress.update(task, completed=done)


#: Called with the phase, the units done, and the total (0: unknown).
Phases = Callable[[str, int, int], None]


@contextlib.contextmanager
def phases(known: int | None = None) -> Iterator[Phases]:
    """Show each phase of a long call into the core as a separate bar.

    ``known`` is the total of phases whose total the core does not know.
    """
    with contextlib.ExitStack() as shown:
        current: tuple[str, Advance] | None = None

        def report(what: str, done: int, total: int) -> None:
            nonlocal current
            if current is None or current[0] != what:
                shown.close()
                current = what, shown.enter_context(bar(what, total or known))
            current[1](done)

        yield report


#: Called with the number of rounds done so far and a text about the last.
Rounds = Callable[[int, str], None]


@contextlib.contextmanager
def rounds(title: str, total: int) -> Iterator[Rounds]:
    """A bar over a few long rounds, with the last one's result and the time left if all are needed.

    Where there is no terminal each round is one line.
    """
    if console.quiet or not console.is_terminal:
        yield lambda done, text: note(f"{title} {done} of at most {total}: {text}")
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("at most"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=console, transient=True, speed_estimate_period=3600) as progress:
        task = progress.add_task(title, total=total)

        def advance(done: int, text: str) -> None:
            progress.update(task, completed=done, description=f"{title}: {text}")

        yield advance
