"""Progress bars on a terminal."""

from __future__ import annotations

import contextlib
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

from graphmt.progress import Advance, Rounds


class _Count(ProgressColumn):
    """Units done, and the total where it is known."""

    def render(self, task: Task) -> Text:
        done = f"{int(task.completed):,}"
        return Text(done if task.total is None else f"{done}/{int(task.total):,}", style="progress.download")


class TerminalBars:
    """Bars on a console."""

    def __init__(self, console: Console) -> None:
        self._console = console

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
        with Progress(*columns, console=self._console, transient=True) as progress:
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
        with Progress(*columns, console=self._console, transient=True, speed_estimate_period=3600) as progress:
            task = progress.add_task(title, total=total)

            def advance(done: int, text: str) -> None:
                progress.update(task, completed=done, description=f"{title}: {text}")

            yield advance
