"""Progress of long work. The library prints nothing: it reports to a display, if one is set, and logs results.

The command line sets a display that draws bars, and :func:`graphmt.progress_bar` sets one for a program or notebook. A
program sets others with :func:`on_progress`, for a function, or :func:`set_display`.
"""

from __future__ import annotations

import contextlib
import contextvars
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

__all__ = ["Display", "on_progress", "set_display"]

log = logging.getLogger(__name__)

#: Called with the number of units done so far.
Advance = Callable[[int], None]
#: Called with the phase, the units done, and the total (0: unknown).
Phases = Callable[[str, int, int], None]
#: Called with the number of rounds done so far and a text about the last.
Rounds = Callable[[int, str], None]
#: Called with the title of the work, the units done so far, and the total (None: unknown).
OnProgress = Callable[[str, int, int | None], object]


class Display(Protocol):
    """Shows the progress of long work, as a bar or otherwise.

    Examples
    --------
    >>> import contextlib
    >>> from graphmt import progress
    >>> class Printed:
    ...     @contextlib.contextmanager
    ...     def bar(self, title, total):
    ...         yield lambda done: print(f"{title}: {done}/{total}")
    ...     @contextlib.contextmanager
    ...     def rounds(self, title, total):
    ...         yield lambda done, text: print(f"{title} {done}: {text}")
    >>> progress.set_display(Printed())
    >>> with progress.bar("sentences", 10) as advance:
    ...     advance(3)
    sentences: 3/10
    >>> progress.set_display(None)
    """

    def bar(self, title: str, total: int | None) -> AbstractContextManager[Advance]:
        """Show work on ``total`` units; the context yields a function that takes the number of units done so far."""

    def rounds(self, title: str, total: int) -> AbstractContextManager[Rounds]:
        """Show at most ``total`` long rounds; the function also takes a text about the last round."""


_display: contextvars.ContextVar[Display | None] = contextvars.ContextVar("graphmt_display", default=None)


def set_display(display: Display | None) -> None:
    """Report the progress of all long work to a display from now on.

    Parameters
    ----------
    display
        The display; None: report nothing.

    Examples
    --------
    >>> from graphmt import progress
    >>> progress.set_display(None)
    """
    _display.set(display)


@contextlib.contextmanager
def using_display(display: Display) -> Iterator[None]:
    """Report the progress of long work to a display while the block runs."""
    before = _display.set(display)
    try:
        yield
    finally:
        _display.reset(before)


def is_shown() -> bool:
    """Whether progress is reported to anybody."""
    return _display.get() is not None


@contextlib.contextmanager
def on_progress(report: OnProgress) -> Iterator[None]:
    """Follow long work: while the block runs, ``report`` is called with title, units done, and total (None: unknown).

    Parameters
    ----------
    report
        Called often, from the thread that does the work.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> import graphmt
    >>> options = graphmt.tune.TuneOptions(iterations=2, n_best=10)
    >>> with graphmt.on_progress(lambda title, done, total: print(title, done, total)):
    ...     tuned = graphmt.tune_model("pbmt", "corpus/dev.de.conllu", "corpus/dev.en", options, out="tuned.toml")
    mira iteration 1 2
    mira iteration 2 2
    """
    with using_display(_Calls(report)):
        yield


class _Calls:
    """A display that calls a function."""

    def __init__(self, report: OnProgress) -> None:
        self._report = report

    @contextlib.contextmanager
    def bar(self, title: str, total: int | None) -> Iterator[Advance]:
        yield lambda done: void(self._report(title, done, total))

    @contextlib.contextmanager
    def rounds(self, title: str, total: int) -> Iterator[Rounds]:
        yield lambda done, text: void(self._report(title, done, total))


def void(value: object) -> None:
    """Ignore what a callback returns."""


def sentences_in(*paths: str | os.PathLike[str]) -> int | None:
    """The number of sentences in files, for a bar; None if a file is compressed or cannot be read twice.

    Nothing is counted where no bar is shown.
    """
    if _display.get() is None:
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
    """Report work to the display while the block runs; yields a function that takes the units done so far."""
    display = _display.get()
    if display is None:
        yield lambda done: None
        return
    with display.bar(title, total) as advance:
        yield advance


@contextlib.contextmanager
def phases(known: int | None = None) -> Iterator[Phases]:
    """Report each phase of a long call into the core as work of its own.

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


@contextlib.contextmanager
def rounds(title: str, total: int) -> Iterator[Rounds]:
    """Report a few long rounds to the display, with the result of the last; each is also logged."""
    display = _display.get()
    with contextlib.ExitStack() as shown:
        advance = None if display is None else shown.enter_context(display.rounds(title, total))

        def report(done: int, text: str) -> None:
            # A handler that shows bars as well leaves these records out.
            log.info("%s %d of at most %d: %s", title, done, total, text, extra={"is_round": True})
            if advance is not None:
                advance(done, text)

        yield report
