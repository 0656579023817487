"""What a tuning run keeps on disk, so that it can go on after a stop."""

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
    """A folder with a file of new hypotheses for each iteration and, written last, a record of how far the run is.

    ``request`` is all that decides the outcome; a record of another request is not gone on from. Without a folder
    nothing is kept.
    """

    def __init__(self, folder: Path | None, request: dict[str, Any]) -> None:
        self.folder = folder
        self.request: dict[str, Any] = json.loads(json.dumps(request))
        #: The SHA-256 of each file of hypotheses.
        self._lists: list[str] = []

    def load(self, lists: _core.NBestLists, read: Callable[[dict[str, Any]], Read]) -> Read | None:
        """What ``read`` makes of what was saved last, with the lists filled as they were; None to begin anew."""
        if self.folder is None:
            return None
        # No state, a damaged one, or one of another version: the run begins anew.
        record = read_sealed(self.folder / RECORD) or {}
        if record.get("request") != self.request:
            return None
        parts = []
        try:
            content = read(record)
            for number, sha256 in enumerate(record["lists"], 1):
                if digest(self._part(number)) != sha256:
                    return None
                parts.append(read_arrays(self._part(number), COLUMNS))
        except (InputError, OSError, *MALFORMED):
            return None
        self._lists = list(record["lists"])
        for counts, values, statistics, keys in parts:
            lists.restore(_core.StoredHypotheses(counts=counts, values=values, statistics=statistics, keys=keys))
        return content

    def save(self, lists: _core.NBestLists, before: list[int], content: dict[str, Any]) -> None:
        """Keep the hypotheses added since the lists had the sizes ``before``, then the record that names them."""
        if self.folder is None:
            return
        make_folder(self.folder)
        stored = lists.stored(before)
        with writing_bytes(self._part(len(content["history"]))) as stream:
            np.savez_compressed(stream, **{name: getattr(stored, name) for name in COLUMNS})
        self._lists = [*self._lists[: len(content["history"]) - 1], digest(self._part(len(content["history"])))]
        with writing(self.folder / RECORD) as out:
            json.dump(sealed({"request": self.request, "lists": self._lists, **content}), out)

    def keep_result(self, result: Any) -> None:
        """Keep the result of the whole run (a dataclass) until it is written where it belongs."""
        if self.folder is None:
            return
        make_folder(self.folder)
        with writing(self.folder / RESULT) as out:
            json.dump(sealed({"request": self.request, "result": dataclasses.asdict(result)}), out)

    def result(self, *, own: bool) -> dict[str, Any] | None:
        """The kept result of the same request; None if there is none.

        ``own``: the weights in the request are those that the result replaces. Then a request that starts from the
        tuned weights is the same one, of a run that was stopped after it had written them.
        """
        if self.folder is None:
            return None
        try:
            kept = read_sealed(self.folder / RESULT) or {}
            asked, tuned = kept["request"], kept["result"]["weights"]
        except MALFORMED:
            return None
        if asked == self.request or (own and {**asked, "weights": tuned} == self.request):
            return kept
        return None

    def remove(self) -> None:
        """The run is whole and its result kept elsewhere. Files that are not ours stay, and the folder with them."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            # The result goes last: without it what is left would be taken for a run that is not finished.
            for path in sorted(self.folder.iterdir(), key=lambda path: path.name == RESULT):
                if _OWN.fullmatch(path.name):
                    path.unlink()
            self.folder.rmdir()

    def _part(self, number: int) -> Path:
        assert self.folder is not None
        return self.folder / f"lists-{number:03}.npz"
