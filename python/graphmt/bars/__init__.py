"""Bars that show the progress of long work: on a terminal, or in a notebook."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from graphmt.progress import Display, using_display

__all__ = ["progress_bar", "shown"]

#: Variables that make rich take any stream for a terminal.
FORCED = ("FORCE_COLOR", "TTY_COMPATIBLE")


@contextlib.contextmanager
def progress_bar() -> Iterator[None]:
    """Show bars for the long work of a block, in a notebook or on a terminal; elsewhere nothing is shown.

    ``progress=True`` of :func:`graphmt.train` and others does the same for one call.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> import graphmt
    >>> with graphmt.progress_bar():
    ...     memory = graphmt.consensus.make_memory([("das Haus", "the house")])
    """
    display = _display()
    if display is None:
        yield
        return
    with using_display(display):
        yield


@contextlib.contextmanager
def shown(progress: bool) -> Iterator[None]:
    """As :func:`progress_bar` if there is to be a bar; otherwise a display that is set already remains."""
    if progress:
        with progress_bar():
            yield
    else:
        yield


def may_be_terminal() -> bool:
    """Whether standard error may be a terminal; it decides without rich, which takes long to import."""
    return (sys.stderr is not None and sys.stderr.isatty()) or any(name in os.environ for name in FORCED)


def is_notebook() -> bool:
    """Whether the program is the kernel of a notebook, which shows HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def _display() -> Display | None:
    if is_notebook():
        from graphmt.bars.notebook import NotebookBars

        return NotebookBars()
    if not may_be_terminal():
        return None
    from rich.console import Console

    from graphmt.bars.terminal import TerminalBars

    console = Console(stderr=True, highlight=False)
    return TerminalBars(console) if console.is_terminal else None
