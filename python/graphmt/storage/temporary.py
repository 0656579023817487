"""Folders for temporary files."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from graphmt.errors import InputError, in_words

HINT = "This is a folder for temporary files; the variable TMPDIR names another."
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


@contextlib.contextmanager
def temporary_folder(name: str) -> Iterator[Path]:
    """A folder that is removed with all that is in it when the block ends; errors on its files say what it is for."""
    try:
        made = tempfile.TemporaryDirectory(prefix=f"graphmt-{name}-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _told(tempfile.gettempdir(), error) from None
    with made as folder:
        try:
            yield Path(folder)
        except OSError as error:
            inside = error.filename is not None and os.fsdecode(error.filename).startswith(folder)
            if not inside and not (error.filename is None and error.errno in _NO_ROOM):
                raise
            raise _told(folder, error) from None


def _told(folder: str, error: OSError) -> InputError:
    told = in_words(folder, error)
    told.hint = HINT
    return told
