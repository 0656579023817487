"""Checks of the files that a command reads and writes, before any work is done."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from graphmt.errors import OptionError, in_words
from graphmt.storage.addresses import require_path
from graphmt.storage.files import AnyPath, is_place, name_of
from graphmt.storage.journal import recover


def require_outputs(*paths: AnyPath | None, inputs: Iterable[AnyPath | None] = ()) -> None:
    """Reject outputs that cannot be written, duplicates, and files that are read as well, before any work is done.

    ``inputs`` are the files that the same command reads. Links to one file are that file.
    """
    taken: set[str] = set()
    read = [(path, about) for path in inputs if path is not None and (about := _content(path, sys.stdin))]
    for path in paths:
        if path is None or is_place(Path(path)):
            continue
        real = "-" if os.fspath(path) == "-" else os.path.realpath(path)
        if real in taken:
            raise OptionError(f"two outputs have the same name {os.fspath(path)}.", hint="Give each its own.")
        taken.add(real)
        if real != "-":
            if Path(real).is_dir():
                raise in_words(path, IsADirectoryError())
            require_room(path)
        written = _content(path, sys.stdout)
        for given, about in read:
            if written is not None and os.path.samestat(written, about):
                raise _also_read(path, given)


def require_inputs(*paths: AnyPath | None) -> None:
    """Reject inputs that cannot be read, and standard input (``-``) for several, before any work is done."""
    named = [Path(path) for path in paths if path is not None]
    files = [path for path in named if os.fspath(path) != "-"]
    if len(named) - len(files) > 1:
        raise OptionError("standard input (-) is given for several files.", hint="Name a file for all but one.")
    for path in files:
        if not os.access(path, os.F_OK):
            recover(path)
        if not os.access(path, os.R_OK):
            raise in_words(path, PermissionError() if os.access(path, os.F_OK) else FileNotFoundError())
        if path.is_dir():
            raise in_words(path, IsADirectoryError())


def require_room(path: AnyPath) -> None:
    """Reject a path whose nearest existing parent is not a writable folder."""
    require_path(path)
    folder = Path(os.path.realpath(path)).parent
    while not os.access(folder, os.F_OK):
        folder = folder.parent
    if not folder.is_dir():
        raise in_words(path, NotADirectoryError())
    if not os.access(folder, os.W_OK | os.X_OK):
        raise in_words(path, PermissionError())


def _also_read(path: AnyPath, given: AnyPath) -> OptionError:
    if os.fspath(path) == "-":
        return OptionError(
            f"standard output is {os.fspath(given)}, which is also read.",
            hint="Write to another file; the shell has already emptied this one if it was named after >.",
        )
    other = "" if os.fspath(given) == os.fspath(path) else f" (as {name_of(given)})"
    return OptionError(f"this file is also read{other}; writing it would destroy it.", file=path, hint="Name another.")


def _content(path: AnyPath, stream: object) -> os.stat_result | None:
    """What tells a regular file from all others; None for anything else. ``-`` is the open stream."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        about = os.fstat(stream.fileno()) if os.fspath(path) == "-" else Path(path).stat()  # type: ignore[attr-defined]
        if stat.S_ISREG(about.st_mode):
            return about
    return None
