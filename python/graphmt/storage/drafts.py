"""Drafts: hidden files next to the path they are written for, named ``.NAME.PROCESS-NUMBER.ROLE``."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from pathlib import Path

_serial = itertools.count()


def hidden(path: Path, role: str) -> Path:
    """An unused name for a draft of a path: ``.NAME.PROCESS-NUMBER.ROLE``."""
    while True:
        made = path.with_name(f".{path.name}.{os.getpid()}-{next(_serial)}.{role}")
        if not os.path.lexists(made):
            return made


def hidden_of(path: Path, *roles: str) -> list[Path]:
    """The existing drafts of a path."""
    named = re.compile(re.escape(f".{path.name}.") + r"\d+-\d+\.(" + "|".join(roles) + ")")
    with contextlib.suppress(OSError):
        return sorted(found for found in path.parent.iterdir() if named.fullmatch(found.name))
    return []


def holds_only_drafts(folder: Path, of: str) -> bool:
    """Whether a folder is empty except for drafts of the file that is written into it first.

    A process killed while creating the folder leaves it in this state.
    """
    return set(folder.iterdir()) <= set(hidden_of(folder / of, "part"))
