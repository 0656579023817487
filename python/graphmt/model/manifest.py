"""The manifest of a model folder."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import graphmt
from graphmt.errors import InputError, in_words
from graphmt.storage.files import AnyPath, writing
from graphmt.storage.folders import restore_folder
from graphmt.storage.formats import MALFORMED, read_json
from graphmt.storage.known_files import MANIFEST, known_names, require_known
from graphmt.storage.sealed import sealed, unsealed

FILE = MANIFEST
FORMAT = 3
#: The formats that are read. Manifests of format 2 do not know the binary files of their models.
READ = (2, FORMAT)

#: Files that graphmt itself may write into the folder of a model, and the commands that do.
_WRITERS = {
    "rules.bin": "graphmt inspect import, filter, prune or split",
    "lm.bin": "graphmt lm train or build",
}


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
    #: The identity of each file in the folder, except the weights: see :func:`graphmt.storage.files.identity`.
    files: dict[str, str] = dataclasses.field(default_factory=dict)
    #: The identities in training of files that graphmt has replaced since, empty for added ones.
    replaced: dict[str, str] = dataclasses.field(default_factory=dict)

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
            if version not in READ:
                raise InputError(
                    f"a model of format {str(version)[:20]}; this graphmt reads formats {READ[0]} to {FORMAT}.",
                    file=path,
                    hint="Use the graphmt version it was trained with, or train it again.",
                )
            content = unsealed(content)
            del content["format"]
            content["added_features"] = _names(content["added_features"])
            content["selection"] = _names(content.get("selection", []))
            for name in ("files", "replaced"):
                content[name] = known_names(content.get(name, {}))
            made = cls(**content)
            tables = [made.options, made.data, made.versions, made.report, *made.options.values()]
            texts = [made.system, *made.data.values(), *made.versions.values()]
            if not all(isinstance(one, dict) for one in tables) or not all(isinstance(one, str) for one in texts):
                raise TypeError
            return made
        except MALFORMED:
            raise InputError(
                "not a model manifest, or damaged or edited.", file=path, hint="Copy or train the model again."
            ) from None
        except OSError as error:
            raise in_words(path, error) from None

    @property
    def build(self) -> str:
        """What tells the result of this training from all others; empty for models of format 2.

        It stays the same if graphmt replaces a file.
        """
        trained = {name: one for name, one in {**self.files, **self.replaced}.items() if one}
        if not any(map(_is_table, trained)):
            return ""
        return hashlib.sha256(json.dumps([self.system, sorted(trained.items())]).encode()).hexdigest()

    def check_files(self, folder: AnyPath) -> None:
        """Reject a folder whose files, apart from tables, are not those of training. Call it before reading them."""
        self.check(folder, [name for name in self.files if not _is_table(name)])

    def check_tables(self, folder: AnyPath, used: Iterable[str]) -> None:
        """Reject a folder with tables, or other files that are used, of another training.

        Call it after opening the tables: errors of damaged files say more, and a table that took the name of another
        one in the meantime is noticed.
        """
        self.check(folder, [name for name in self.files if _is_table(name)])
        if self.build and (unknown := next((name for name in used if name not in self.files), None)) is not None:
            raise InputError(
                "this file was not there when the model was trained, but would be used.",
                file=Path(folder) / unknown,
                hint="It may be of another model: remove it, or copy the whole model again.",
            )

    def check(self, folder: AnyPath, names: Iterable[str]) -> None:
        """Reject files that are not those of training, as far as the manifest knows them."""
        for name in names:
            hint = "It may be damaged or of another model: copy the whole model again."
            if (writers := _WRITERS.get(name)) is not None:
                hint += f" To use another one, write it into the folder with {writers}."
            if name in self.files:
                require_known(folder, {name: self.files[name]}, whole="model", hint=hint)


def _is_table(name: str) -> bool:
    """Whether a file is one of the core's: it has checksums, and may be large."""
    return re.search(r"\.bin(\.\d+)?$", name) is not None


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise TypeError
    return tuple(value)
