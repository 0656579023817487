"""Addresses of other file systems, such as ``s3a://bucket/file``: as paths, they would begin with a folder ``s3a:``."""

from __future__ import annotations

import os
import re
from pathlib import Path

from graphmt.errors import InputError

#: At least two letters: ``C:`` is a drive.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def require_path(path: str | os.PathLike[str]) -> None:
    """Reject an address as the name of an output or a folder, before anything is made under its name."""
    parts = Path(path).parts
    for place, part in enumerate(parts):
        # A path may have been completed to an absolute one already.
        if _SCHEME.fullmatch(part) and place + 1 < len(parts) and not Path(*parts[: place + 1]).exists():
            raise InputError(
                f"this is an address ({part}//), and the path of a file or folder was expected.",
                file=path,
                hint="Write to a file system that is mounted here, and copy it from there.",
            )
