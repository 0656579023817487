"""The state of a tuning run on disk, so that it can resume."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from graphmt import _core
from graphmt.errors import InputError
from graphmt.storage.files import digest, make_folder, writing, writing_bytes
from graphmt.storage.formats import MALFORMED, read_arrays
from graphmt.storage.sealed import read_sealed, sealed

RECORD, RESULT = "state.json", "result.json"
_OWN = re.compile(r"state\.json|result\.json|lists-\d+\.npz|\..*\.part")
COLUMNS = ("counts", "values", "statistics", "keys")

Read = TypeVar("Read")


class State:
    """A folder with a file of new hypotheses per iteration and, written last, a record of progress.

    ``request`` is everything that determines the result; records of other requests are ignored. Without a folder,
    nothing is stored.
    """

    def __init__(self, folder: Path | None, request: dict[str, Any]) -> None:
        self.folder = folder
        self.request: dict[str, Any] = json.loads(json.dumps(request))
        #: The SHA-256 of each file of hypotheses.
        self._lists: list[str] = []

    def load(self, lists: _core.NBestLists, read: Callable[[dict[str, Any]], Read]) -> Read | None:
        """Restore the lists, and return ``read`` of the last saved content; None to start from scratch."""
        if self.folder is None:
            return None
        # No state, or a damaged or incompatible one: start from scratch.
        record = read_sealed(self.folder / RECORD) or {}
        if record.get("request") != self.request:
            return None
        parts = []
        try:
            content = read(record)
            for number, sha256 in enumerate(record["lists"], 1):
                if digest(self._part(number)) != sha256:
                    return None
                columns = dict(zip(COLUMNS, read_arrays(self._part(number), COLUMNS), strict=True))
                parts.append(_core.StoredHypotheses(**columns))
        except (InputError, OSError, *MALFORMED):
            return None
        self._lists = list(record["lists"])
        for part in parts:
            lists.restore(part)
        return content

    def save(self, lists: _core.NBestLists, before: list[int], content: dict[str, Any]) -> None:
        """Save the hypotheses added since the lists had the sizes ``before``, then the record that lists them."""
        if self.folder is None:
            return
        make_folder(self.folder)
        stored = lists.stored(before)
        with writing_bytes(self._part(len(content["history"]))) as stream:
            # Not compressed: that took as long as a tenth of decoding, and the files are removed at the end.
            np.savez(stream, **{name: getattr(stored, name) for name in COLUMNS})
        self._lists = [*self._lists[: len(content["history"]) - 1], digest(self._part(len(content["history"])))]
        with writing(self.folder / RECORD) as out:
            json.dump(sealed({"request": self.request, "lists": self._lists, **content}), out)

    def keep_result(self, result: Any) -> None:
        """Save the result of the whole run (a dataclass) until it is written to its destination."""
        if self.folder is None:
            return
        make_folder(self.folder)
        with writing(self.folder / RESULT) as out:
            json.dump(sealed({"request": self.request, "result": dataclasses.asdict(result)}), out)

    def result(self, *, own: bool) -> dict[str, Any] | None:
        """The saved result of the same request; None if there is none.

        ``own``: the result replaces the weights in the request. A request that starts from the tuned weights then
        counts as the same: its run was interrupted after writing them.
        """
        if self.folder is None:
            return None
        try:
            kept = read_sealed(self.folder / RESULT) or {}
            asked = dict(kept["request"])
            later = {**asked, "weights": kept["result"]["weights"]}
        except MALFORMED:
            return None
        return kept if asked == self.request or (own and later == self.request) else None

    def remove(self) -> None:
        """Remove the state of a finished run. Foreign files are kept, and the folder with them."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            # The result is removed last: without it, the rest would look like an unfinished run.
            for path in sorted(self.folder.iterdir(), key=lambda path: path.name == RESULT):
                if _OWN.fullmatch(path.name):
                    path.unlink()
            self.folder.rmdir()

    def _part(self, number: int) -> Path:
        assert self.folder is not None
        return self.folder / f"lists-{number:03}.npz"
