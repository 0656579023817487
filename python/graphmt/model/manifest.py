"""The manifest of a model folder."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import graphmt
from graphmt.errors import InputError
from graphmt.storage.files import AnyPath, digest, writing
from graphmt.storage.folders import restore_folder
from graphmt.storage.formats import MALFORMED, read_json
from graphmt.storage.sealed import sealed, unsealed

FILE = "manifest.json"
FORMAT = 2


@dataclasses.dataclass(frozen=True)
class Manifest:
    """The system, the options it was trained with, and the data and versions that reproduce it.

    Examples
    --------
    >>> from graphmt.model import Manifest
    >>> Manifest.load("pbmt").report["rules"]["pairs"]
    500
    """

    system: str
    #: The options of each stage, by stage.
    options: dict[str, dict[str, Any]]
    #: Names of added features, in the order of their columns.
    added_features: tuple[str, ...] = ()
    #: Names of its models of lexical selection.
    selection: tuple[str, ...] = ()
    #: SHA-256 of each training file, by role.
    data: dict[str, str] = dataclasses.field(default_factory=dict)
    #: Versions of graphmt and of the libraries used.
    versions: dict[str, str] = dataclasses.field(default_factory=lambda: {"graphmt": graphmt.__version__})
    #: Counts reported by training: pairs, rules by kind, n-grams.
    report: dict[str, Any] = dataclasses.field(default_factory=dict)
    #: SHA-256 by name of the files in the folder without internal checksums: see :func:`file_digests`.
    files: dict[str, str] = dataclasses.field(default_factory=dict)

    def __repr__(self) -> str:
        added = f", selection={self.selection}" if self.selection else ""
        return f"Manifest({self.system!r}{added})"

    def save(self, folder: AnyPath) -> None:
        """Write the manifest into a folder."""
        with writing(Path(folder) / FILE) as out:
            content = sealed({"format": FORMAT, **dataclasses.asdict(self)})
            json.dump(content, out, ensure_ascii=False, indent=2)
            out.write("\n")

    @classmethod
    def load(cls, folder: AnyPath) -> Manifest:
        """Read the manifest of a model folder."""
        path = Path(folder) / FILE
        restore_folder(folder)
        if not path.parent.is_dir():
            raise InputError("no such folder; a model is a folder.", file=path.parent)
        if not path.exists():
            raise InputError(f"this folder has no {FILE}: it is not a graphmt model.", file=path.parent)
        try:
            content = read_json(path)
            version = content["format"]
            if version != FORMAT:
                raise InputError(
                    f"a model of format {str(version)[:20]}; this graphmt reads format {FORMAT}.",
                    file=path,
                    hint="Use the graphmt version it was trained with, or train it again.",
                )
            content = unsealed(content)
            del content["format"]
            content["added_features"] = _names(content["added_features"])
            content["selection"] = _names(content.get("selection", []))
            made = cls(**content)
            tables = [made.options, made.data, made.versions, made.report, made.files, *made.options.values()]
            texts = [made.system, *made.data.values(), *made.versions.values(), *made.files.values()]
            if not all(isinstance(one, dict) for one in tables) or not all(isinstance(one, str) for one in texts):
                raise TypeError
            return made
        except MALFORMED:
            raise InputError(
                "not a model manifest, or damaged or edited.", file=path, hint="Copy or train the model again."
            ) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}.", file=path) from None

    def check_files(self, folder: AnyPath) -> None:
        """Reject a folder whose files have changed since training."""
        for name, wanted in self.files.items():
            path = Path(folder) / name
            if digest(path) != wanted:
                raise InputError(
                    f"the file has changed since training: its digest differs from {FILE}.",
                    file=path,
                    hint="It may be damaged; copy or train the model again.",
                )


def file_digests(folder: AnyPath) -> dict[str, str]:
    """SHA-256 of the files in a model's folder, except those with internal checksums (``.bin``)."""
    files = (path for path in Path(folder).rglob("*") if path.is_file() and path.suffix != ".bin")
    return {path.relative_to(folder).as_posix(): digest(path) for path in sorted(files)}


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise TypeError
    return tuple(value)
