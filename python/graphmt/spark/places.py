"""Paths of this machine as Spark takes them."""

from __future__ import annotations

import re
from pathlib import Path

from graphmt.storage.addresses import require_path
from graphmt.storage.files import AnyPath


def address(path: Path) -> str:
    """The address that Spark writes to. Spaces and letters beyond ASCII stay: Spark would take an escape for a name."""
    plain = path.absolute().as_posix()
    return f"file://{plain}" if plain.startswith("/") else f"file:///{plain}"


def pattern(path: Path) -> str:
    """The address that Spark reads from, with the characters escaped that stand for several files."""
    return re.sub(r"([\\\[\]{}*?])", r"\\\1", address(path))


def local_folder(path: AnyPath) -> Path:
    """The absolute path of a folder of this machine; the address of another file system is rejected."""
    require_path(path)
    return Path(path).resolve()
