"""Progress bars in a notebook: one line of HTML, replaced as the work goes on and removed at its end."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Iterator
from typing import Any

from graphmt.draw.markup import escape, quoteattr
from graphmt.progress import Advance, Rounds

#: Seconds between two pictures of a bar.
_PAUSE = 0.1


class NotebookBars:
    """Bars as outputs of the cell that runs. They need neither widgets nor rich."""

    @contextlib.contextmanager
    def bar(self, title: str, total: int | None) -> Iterator[Advance]:
        """A bar with the count, and the total where it is known."""
        with _Line(title, total) as line:
            yield lambda done: line.show(done, title)

    @contextlib.contextmanager
    def rounds(self, title: str, total: int) -> Iterator[Rounds]:
        """A bar with the last round's result."""
        with _Line(title, total) as line:
            yield lambda done, text: line.show(done, f"{title}: {text}", at_once=True)


class _Line(contextlib.AbstractContextManager["_Line"]):
    """An output that is shown while the block runs."""

    def __init__(self, title: str, total: int | None) -> None:
        self._total = total
        self._begun = time.monotonic()
        self._last = self._begun
        self._handle = _displayed(_contents(title, 0, total, 0.0))

    def show(self, done: int, title: str, *, at_once: bool = False) -> None:
        """Show how much is done."""
        now = time.monotonic()
        if at_once or now - self._last >= _PAUSE or done == self._total:
            self._last = now
            self._handle.update(_contents(title, done, self._total, now - self._begun), raw=True)

    def __exit__(self, *raised: object) -> None:
        self._handle.update({"text/plain": "", "text/html": ""}, raw=True)


def _displayed(contents: dict[str, str]) -> Any:
    # It is there, for the notebook runs in it.
    shown = importlib.import_module("IPython.display")
    return shown.display(contents, raw=True, display_id=True)


def _contents(title: str, done: int, total: int | None, seconds: float) -> dict[str, str]:
    count = f"{done:,}" if not total else f"{done:,}/{total:,}"
    spent = f"{int(seconds) // 60}:{int(seconds) % 60:02}"
    share = f" value={quoteattr(str(done))} max={quoteattr(str(total))}" if total else ""
    html = f"<div>{escape(title)} <progress{share}></progress> {count} {spent}</div>"
    return {"text/plain": f"{title} {count} {spent}", "text/html": html}
