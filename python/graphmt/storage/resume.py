"""Steps that are done once, so that interrupted runs resume."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from graphmt.storage.files import AnyPath, writing
from graphmt.storage.sealed import read_sealed, sealed


@contextlib.contextmanager
def resumable(advice: str) -> Iterator[None]:
    """Add ``advice`` for the user to an interrupt during the block; the outermost block wins.

    It becomes the attribute ``advice`` of the exception, which the command line prints.
    """
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as stopped:
        stopped.advice = advice  # type: ignore[union-attr]
        raise


class Steps:
    """A folder in which every finished step leaves a record of its request and its report."""

    def __init__(self, folder: AnyPath) -> None:
        self.folder = Path(folder)

    def _record(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def forget(self, *names: str) -> None:
        """Remove the records of steps whose outputs another one is about to replace."""
        for name in names:
            self._record(name).unlink(missing_ok=True)

    def run(
        self,
        name: str,
        request: dict[str, Any],
        outputs: list[Path],
        work: Callable[[], dict[str, Any]],
        is_whole: Callable[[dict[str, Any]], bool] = lambda _: True,
    ) -> dict[str, Any]:
        """The step's report: from its record if the request is the same and its outputs exist, else from ``work``.

        ``request`` is everything that determines the outputs. The record is written last, so an interrupted step is
        repeated, as is one whose outputs are no longer those of its report (``is_whole``).
        """
        record = self._record(name)
        asked: dict[str, Any] = json.loads(json.dumps(request))
        known = read_sealed(record) or {}
        if "report" in known and known.get("request") == asked and all(output.exists() for output in outputs):
            report: dict[str, Any] = known["report"]
            if is_whole(report):
                return report
        record.unlink(missing_ok=True)
        # As a later run reads it from the record: tuples become lists.
        report = json.loads(json.dumps(work()))
        with writing(record) as stream:
            json.dump(sealed({"request": asked, "report": report}), stream, ensure_ascii=False, indent=2)
        return report
