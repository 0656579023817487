"""What commands write: never one of their inputs, and in a folder that was not there only with a message."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from graphmt.cli.display import note
from graphmt.storage.checks import require_outputs

#: Marks a parameter as a file, or as a folder or the beginning of names, that the command writes:
#: ``Annotated[Path, typer.Option(…), FILE]``.
FILE, FOLDER = "writes this file", "writes this folder"

Verb = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class ByName:
    """Marks a parameter as a folder or a file that the command writes, by its name."""

    is_folder: Callable[[Path], bool]


def checked(verb: Verb) -> Verb:
    """The verb, refusing outputs that are also inputs before it begins; it says which folders are new.

    Every parameter that is a path without a mark is an input. A model is its files.
    """
    kinds = {name: _kind(one.annotation) for name, one in inspect.signature(verb, eval_str=True).parameters.items()}
    if not any(kinds.values()):
        return verb

    @functools.wraps(verb)
    def run(**values: Any) -> Any:
        given = {wanted: list(_paths(values, kinds, wanted)) for wanted in (FILE, FOLDER, "input")}
        # Results that have no option of their own go to standard output.
        written = list(dict.fromkeys([*given[FILE], Path("-")], None)) if given["input"] else given[FILE]
        require_outputs(*written, inputs=[file for path in given["input"] for file in _files(path)])
        for folder in dict.fromkeys(path.parent for path in (*given[FILE], *given[FOLDER]) if path != Path("-")):
            if not os.path.lexists(folder):
                note(f"The folder {folder} is new.")
        return verb(**values)

    return run


def _kind(annotation: Any) -> str | ByName | None:
    for mark in getattr(annotation, "__metadata__", ()):
        if isinstance(mark, ByName):
            return mark
        if mark in (FILE, FOLDER):
            return str(mark)
    parts = [annotation]
    while parts:
        part = parts.pop()
        if part is Path:
            return "input"
        parts += typing.get_args(part)
    return None


def _paths(values: Mapping[str, Any], kinds: Mapping[str, str | ByName | None], wanted: str) -> Iterator[Path]:
    for name, kind in kinds.items():
        value = values.get(name)
        if isinstance(kind, ByName) and value is not None:
            kind = FOLDER if kind.is_folder(value) else FILE
        if kind == wanted and value is not None:
            yield from [value] if isinstance(value, Path) else (one for one in value if isinstance(one, Path))


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    from graphmt.model.layout import is_part
    from graphmt.model.manifest import FILE as MANIFEST

    if not (path / MANIFEST).is_file():
        return
    for top, _, names in os.walk(path):
        inside = (Path(top) / name for name in names)
        yield from (one for one in inside if is_part(one.relative_to(path).as_posix()))
