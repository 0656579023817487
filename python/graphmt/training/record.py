"""The folder in which training works, and the record in it that says how far it is."""

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
from graphmt.tune.state import RESULT

#: The record; every step has another, ``STEP.json``.
FILE = "training.json"
VERSION = 1


class TrainingRecord:
    """``MODEL.training``: the work of a training run, until the model is whole and tuned."""

    def __init__(self, model: AnyPath) -> None:
        self.model = Path(model)
        whole = self.model if self.model.name not in ("", "..") else self.model.resolve()
        self.folder = Path(f"{whole}.training")

    def require_own(self) -> None:
        """Refuse a folder of that name which training did not make."""
        if not os.path.lexists(self.folder) or (self.folder / FILE).is_file():
            return
        if not self.folder.is_dir() or not holds_only_drafts(self.folder, FILE):
            raise InputError(
                f"exists already and has no {FILE}; training would work here.",
                file=self.folder,
                hint="Move it away, or give the model another name.",
            )

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """Make the folder, or go on with the one that is there; it stays if a step was finished when work fails."""
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
        """Note which folder is about to become the model, and what was asked for."""
        known = {"folder": _identity(draft), "manifest": digest(draft / MANIFEST), "weights": digest(draft / WEIGHTS)}
        self._write({"request": request, "model": known})

    def published(self) -> dict[str, Any] | None:
        """What was asked for, if the model is there as this run made it, apart from tuning that was begun."""
        try:
            content = json.loads((self.folder / FILE).read_text("utf-8"))
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
        """Remove all but the record: the model is there, and what is left to do is tuning."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name != FILE:
                remove_folder(path, last="") if path.is_dir() else path.unlink()

    def remove(self) -> None:
        """The run is finished."""
        remove_folder(self.folder, last=FILE)

    def _write(self, content: dict[str, Any]) -> None:
        with writing(self.folder / FILE) as stream:
            json.dump({"graphmt training": VERSION, **content}, stream, ensure_ascii=False, indent=2)


def _identity(folder: Path) -> int:
    """The number of a folder in its file system, which it keeps when it is renamed."""
    return folder.stat().st_ino
