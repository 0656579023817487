"""Folders for temporary files. Those of a killed process are removed by the next one that makes a folder there."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

from graphmt.errors import InputError, in_words

if sys.platform != "win32":
    import fcntl

HINT = "This folder is for temporary files; set TMPDIR to use another."
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


#: Seconds after which a folder without a lock is abandoned: before, its process may be about to lock it.
_NEW = 60


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """A folder that is removed together with this object; locked, so that others see that it is in use."""

    def __init__(self, name: str) -> None:
        _remove_abandoned()
        super().__init__(prefix=f"graphmt-{name}-{_machine()}-", ignore_cleanup_errors=True)
        held = _lock(self.name)
        self._unlock = None if held is None else weakref.finalize(self, os.close, held)

    def cleanup(self) -> None:
        """Remove the folder."""
        super().cleanup()
        if self._unlock is not None:
            self._unlock()


@contextlib.contextmanager
def temporary_folder(name: str) -> Iterator[Path]:
    """A folder that is removed when the block ends; errors about its files explain what it is for."""
    with temporary_directory(name) as folder:
        try:
            yield Path(folder)
        except OSError as error:
            inside = error.filename is not None and os.fsdecode(error.filename).startswith(folder)
            if not inside and not (error.filename is None and error.errno in _NO_ROOM):
                raise
            raise _as_input_error(folder, error) from None


def temporary_directory(name: str) -> TemporaryFolder:
    """A folder that is removed together with this object."""
    try:
        return TemporaryFolder(name)
    except OSError as error:
        raise _as_input_error(tempfile.gettempdir(), error) from None


def _as_input_error(folder: str, error: OSError) -> InputError:
    readable = in_words(folder, error)
    readable.hint = HINT
    return readable


def _machine() -> str:
    """What the names of this machine's folders have in common: the locks of others may not be visible here."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:6]


def _lock(folder: str) -> int | None:
    """A descriptor that holds the lock of a folder; None if another process has it, or where folders have no locks."""
    if sys.platform == "win32":
        return None
    number = -1
    try:
        number = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if number >= 0:
            os.close(number)
        return None
    return number


@functools.cache
def _remove_abandoned() -> None:
    """Remove the folders of processes that were killed; once in a process."""
    if sys.platform == "win32":
        return
    ours = re.compile(rf"graphmt-.+-{_machine()}-[^-]+")
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if not ours.fullmatch(entry.name) or not entry.is_dir(follow_symlinks=False):
                continue
            with contextlib.suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if about.st_uid != os.getuid() or time.time() - about.st_mtime < _NEW:
                    continue
                held = _lock(entry.path)
                if held is not None:
                    shutil.rmtree(entry.path, ignore_errors=True)
                    os.close(held)
