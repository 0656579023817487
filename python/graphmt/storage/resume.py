"""Steps that are done once: a long run that was stopped goes on where it was."""

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
    """While the block runs, ``advice`` is what a user should know who stops it; the widest block has the last word.

    It becomes the attribute ``advice`` of the exception, and the command line prints it.
    """
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as stopped:
        stopped.advice = advice  # type: ignore[union-attr]
        raise


class Steps:
    """A folder in which every finished step leaves a record of what it was asked for and what it reported."""

    def __init__(self, folder: AnyPath) -> None:
        self.folder = Path(folder)

    def run(
        self,
        name: str,
        request: dict[str, Any],
        outputs: list[Path],
        work: Callable[[], dict[str, Any]],
    ) -> dict[str, Any]:
        """The step's report: from its record if the same was done before and its outputs are there, else by work.

        ``request`` is all that decides the outputs; the record is written last, so a step that was cut off is done
        again.
        """
        record = self.folder / f"{name}.json"
        asked: dict[str, Any] = json.loads(json.dumps(request))
        known = read_sealed(record) or {}
        if "report" in known and known.get("request") == asked and all(output.exists() for output in outputs):
            report: dict[str, Any] = known["report"]
            return report
        record.unlink(missing_ok=True)
        # As a later run will read it from the record: tuples are lists.
        report = json.loads(json.dumps(work()))
        with writing(record) as stream:
            json.dump(sealed({"request": asked, "report": report}), stream, ensure_ascii=False, indent=2)
        return report
