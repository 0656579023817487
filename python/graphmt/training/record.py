"""The working folder of training, and its record of progress."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphmt.errors import InputError
from graphmt.model.layout import TUNING
from graphmt.model.manifest import FILE as MANIFEST
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.storage.drafts import holds_only_drafts
from graphmt.storage.files import AnyPath, digest, make_folder, writing
from graphmt.storage.folders import remove_folder
from graphmt.storage.formats import read_json
from graphmt.tune.state import RESULT

#: The record of the run; every step has its own, ``STEP.json``.
FILE = "training.json"
VERSION = 1


class TrainingRecord:
    """``MODEL.training``: intermediate results, until the model is finished and tuned."""

    def __init__(self, model: AnyPath) -> None:
        self.model = Path(model)
        whole = self.model if self.model.name not in ("", "..") else self.model.resolve()
        self.folder = Path(f"{whole}.training")

    def require_own(self) -> None:
        """Reject an existing folder of that name that training did not create."""
        if not os.path.lexists(self.folder) or (self.folder / FILE).is_file():
            return
        if not self.folder.is_dir() or not holds_only_drafts(self.folder, FILE):
            raise InputError(
                f"exists already and has no {FILE}; training needs this folder.",
                file=self.folder,
                hint="Move it away, or give the model another name.",
            )

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """Create or reuse the folder; on failure it is kept if a step has finished."""
        self.require_own()
        try:
            make_folder(self.folder)
            if not (self.folder / FILE).is_file():
                self._write({})
            yield
        except BaseException:
            if not any(path.name != FILE for path in self.folder.glob("*.json")):
                self.remove()
            raise

    def publish(self, draft: Path, request: dict[str, Any]) -> None:
        """Record which folder is about to become the model, and the request."""
        known = {"folder": _identity(draft), "manifest": digest(draft / MANIFEST), "weights": digest(draft / WEIGHTS)}
        self._write({"request": request, "model": known})

    def published(self) -> dict[str, Any] | None:
        """The request, if the model exists as this run made it, apart from unfinished tuning."""
        try:
            content = read_json(self.folder / FILE)
            known, request = content["model"], content["request"]
            if known["folder"] != _identity(self.model) or known["manifest"] != digest(self.model / MANIFEST):
                return None
            as_made = known["weights"] == digest(self.model / WEIGHTS)
        except (OSError, ValueError, KeyError, TypeError, InputError):
            return None
        if as_made or (self.model / TUNING / RESULT).exists():
            return dict(request)
        return None

    def clear(self) -> None:
        """Remove everything but the record: the model exists, and only tuning remains."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name != FILE:
                remove_folder(path, last="") if path.is_dir() else path.unlink()

    def remove(self) -> None:
        """Remove the folder of a finished run."""
        remove_folder(self.folder, last=FILE)

    def _write(self, content: dict[str, Any]) -> None:
        with writing(self.folder / FILE) as stream:
            json.dump({"graphmt training": VERSION, **content}, stream, ensure_ascii=False, indent=2)


def _identity(folder: Path) -> int:
    """The inode number of a folder, which it keeps when it is renamed."""
    return folder.stat().st_ino
