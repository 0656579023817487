"""Folders whose record knows their files, so that a file of another folder is noticed.

The record has a text for each file that differs between files of different content (:func:`.files.identity`). Of a
large binary file it is the header, so comparing costs next to nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from graphmt.errors import InputError
from graphmt.storage.files import AnyPath, identity, writing
from graphmt.storage.sealed import read_sealed, sealed

#: The record of a model.
MANIFEST = "manifest.json"


def identities(folder: AnyPath, names: Iterable[str] | None = None) -> dict[str, str]:
    """The identities of files in a folder by their names, as in ``source/text.json``; of all by default."""
    place = Path(folder)
    if names is None:
        names = sorted(path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file())
    return {name: identity(place / name) for name in names}


def require_known(folder: AnyPath, known: Mapping[str, str], *, whole: str, hint: str) -> None:
    """Reject files of a folder that are not the known ones; ``whole`` is what they belong to, such as "model"."""
    for name, wanted in known.items():
        path = Path(folder) / name
        if identity(path) != wanted:
            raise InputError(f"this is not the file that the {whole} was trained with.", file=path, hint=hint)


def known_names(content: Any) -> dict[str, str]:
    """The identities in a record as they were read; ``TypeError`` if they are none, or name files elsewhere."""
    if not isinstance(content, dict) or not all(isinstance(one, str) for one in content.values()):
        raise TypeError
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in content):
        raise TypeError
    return dict(content)


def note_replaced(path: AnyPath) -> None:
    """If a file was written over one of a model, with its further parts (``NAME.1``), let the model's manifest know it.

    The identities of training are kept as ``replaced``; they are empty for files that there were not.
    """
    place = Path(path)
    manifest = place.parent / MANIFEST
    content = read_sealed(manifest) if manifest.is_file() else None
    files = content.get("files") if content is not None else None
    if content is None or not isinstance(files, dict) or place.name not in files:
        return
    own = re.compile(re.escape(place.name) + r"(\.\d+)?")
    parts = sorted(one.name for one in place.parent.iterdir() if own.fullmatch(one.name))
    now = identities(place.parent, parts)
    before = {name: files[name] for name in files if own.fullmatch(name)}
    if now == before:
        return
    replaced = {**{name: before.get(name, "") for name in {**before, **now}}, **content.get("replaced", {})}
    kept = {name: one for name, one in files.items() if name not in before}
    with writing(manifest) as stream:
        json.dump(
            sealed({**content, "files": {**kept, **now}, "replaced": replaced}), stream, ensure_ascii=False, indent=2
        )
        stream.write("\n")
