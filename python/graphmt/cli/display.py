"""What the command writes to standard error: messages, the library's log records, and bars on a terminal."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

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

from graphmt.progress import Advance, Rounds, set_display

#: Messages for the user. :func:`show_messages` makes it quiet.
console = Console(stderr=True, highlight=False)


def note(text: str) -> None:
    """Print a one-line message to standard error."""
    console.print(text, markup=False, soft_wrap=True)


def show_messages(*, quiet: bool) -> None:
    """Print the library's log records and draw bars on a terminal; if ``quiet``, neither (errors are still printed)."""
    console.quiet = quiet
    logger = logging.getLogger("graphmt")
    if not any(isinstance(handler, _Messages) for handler in logger.handlers):
        logger.addHandler(_Messages())
    logger.setLevel(logging.INFO)
    set_display(Bars() if _draws_bars() else None)


def _draws_bars() -> bool:
    return console.is_terminal and not console.quiet


class _Messages(logging.Handler):
    """Log records as messages. Rounds are left out where a bar shows them."""

    def emit(self, record: logging.LogRecord) -> None:
        if not (getattr(record, "is_round", False) and _draws_bars()):
            note(record.getMessage())


class _Count(ProgressColumn):
    """Units done, and the total where it is known."""

    def render(self, task: Task) -> Text:
        done = f"{int(task.completed):,}"
        return Text(done if task.total is None else f"{done}/{int(task.total):,}", style="progress.download")


class Bars:
    """Progress bars on standard error."""

    @contextlib.contextmanager
    def bar(self, title: str, total: int | None) -> Iterator[Advance]:
        """A bar with the count, and the total where it is known."""
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

    @contextlib.contextmanager
    def rounds(self, title: str, total: int) -> Iterator[Rounds]:
        """A bar with the last round's result, and the time left if all rounds are needed."""
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
