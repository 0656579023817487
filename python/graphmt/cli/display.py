"""What the command writes to standard error: messages, the library's log records, and bars on a terminal.

Only a terminal needs rich, which takes long to import.
"""

from __future__ import annotations

import functools
import logging
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from graphmt.bars import may_be_terminal
from graphmt.progress import Advance, Rounds, set_display

if TYPE_CHECKING:
    from rich.console import Console

    from graphmt.bars.terminal import TerminalBars


@functools.cache
def console() -> Console:
    """The console of messages."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def note(text: str) -> None:
    """Print a one-line message to standard error."""
    if _messages.quiet:
        return
    if may_be_terminal():
        console().print(text, markup=False, soft_wrap=True)
    else:
        print(text, file=sys.stderr, flush=True)


def show_messages(*, quiet: bool) -> None:
    """Print the library's log records and draw bars on a terminal; if ``quiet``, neither (errors are still printed)."""
    _messages.quiet = quiet
    logger = logging.getLogger("graphmt")
    if _messages not in logger.handlers:
        logger.addHandler(_messages)
    logger.setLevel(logging.INFO)
    set_display(_Bars() if _draws_bars() else None)


def _draws_bars() -> bool:
    return not _messages.quiet and may_be_terminal() and console().is_terminal


class _Messages(logging.Handler):
    """Log records as messages. Rounds are left out where a bar shows them."""

    quiet = False

    def emit(self, record: logging.LogRecord) -> None:
        if not (getattr(record, "is_round", False) and _draws_bars()):
            note(record.getMessage())


_messages = _Messages()


class _Bars:
    """Progress bars on standard error."""

    def bar(self, title: str, total: int | None) -> AbstractContextManager[Advance]:
        """A bar with the count, and the total where it is known."""
        return self._drawn().bar(title, total)

    def rounds(self, title: str, total: int) -> AbstractContextManager[Rounds]:
        """A bar with the last round's result, and the time left if all rounds are needed."""
        return self._drawn().rounds(title, total)

    @staticmethod
    def _drawn() -> TerminalBars:
        from graphmt.bars.terminal import TerminalBars

        return TerminalBars(console())
