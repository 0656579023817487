"""Names of unfinished files: hidden files beside the path that they are written for, ``.NAME.PROCESS-NUMBER.ROLE``."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from pathlib import Path

_serial = itertools.count()


def hidden(path: Path, role: str) -> Path:
    """A name beside a path that nothing has yet, for what is not whole: ``.NAME.PROCESS-NUMBER.ROLE``."""
    while True:
        made = path.with_name(f".{path.name}.{os.getpid()}-{next(_serial)}.{role}")
        if not os.path.lexists(made):
            return made


def hidden_of(path: Path, *roles: str) -> list[Path]:
    """What there is of such names beside a path."""
    named = re.compile(re.escape(f".{path.name}.") + r"\d+-\d+\.(" + "|".join(roles) + ")")
    with contextlib.suppress(OSError):
        return sorted(found for found in path.parent.iterdir() if named.fullmatch(found.name))
    return []


def holds_only_drafts(folder: Path, of: str) -> bool:
    """Whether a folder holds nothing, or nothing but drafts of the file that is written into it first.

    A process that was killed while it made the folder leaves it so.
    """
    return set(folder.iterdir()) <= set(hidden_of(folder / of, "part"))
