"""The token in a folder that the driver and all executors must see: each task reads it before it begins."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import time
from collections.abc import Callable
from pathlib import Path

from graphmt.errors import InputError, in_words
from graphmt.storage.files import make_folder

#: The property of Spark's tasks that names the folder of their stage, and its token.
PROPERTY = "graphmt.shared"

#: Attempts to find a file, and seconds between them: network file systems show new files late.
_ATTEMPTS, _PAUSE = 4, 0.5

HINT = (
    "Intermediate results must be on a file system that the driver and all executors share: they are beside the "
    "output, or in TMPDIR if it is standard output."
)

#: The tokens of this process by folder.
_TOKENS: dict[str, str] = {}


def token_path(folder: Path) -> Path:
    """The file with the token."""
    return folder / "shared.token"


def put_token(folder: Path) -> str:
    """Write the token of this process into a folder, unless it is there."""
    make_folder(folder)
    token = _TOKENS.setdefault(os.fspath(folder), secrets.token_hex(16))
    path = token_path(folder)
    try:
        if not path.exists() or path.read_text("ascii") != token:
            path.write_text(token, "ascii")
    except OSError as error:
        raise in_words(path, error) from None
    return token


def require_token(folder: str, token: str) -> None:
    """Reject a folder that has no such token: it is another one than that of the driver."""
    path = token_path(Path(folder))
    if not eventually(lambda: path.read_text("ascii") == token):
        raise InputError(
            f"the executor on {socket.gethostname()} does not see this folder as the driver does.",
            file=folder,
            hint=HINT,
        )


#: The task that has read its token.
_checked: tuple[str, int] | None = None


def require_announced() -> None:
    """Check, in a task, the folder of its stage; once for each task."""
    from pyspark import TaskContext

    global _checked
    context = TaskContext.get()
    announced = None if context is None else context.getLocalProperty(PROPERTY)
    if context is None or announced is None:
        return
    if _checked != (announced, context.taskAttemptId()):
        require_token(*json.loads(announced))
        _checked = (announced, context.taskAttemptId())


def eventually(is_true: Callable[[], bool]) -> bool:
    """Whether this holds now or soon; files that cannot be read do not count."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE)
        with contextlib.suppress(OSError, ValueError):
            if is_true():
                return True
    return False
