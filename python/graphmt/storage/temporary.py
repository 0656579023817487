"""Folders for temporary files."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from graphmt.errors import InputError, in_words

HINT = "This folder is for temporary files; set TMPDIR to use another."
_NO_ROOM = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


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


def temporary_directory(name: str) -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed together with this object."""
    try:
        return tempfile.TemporaryDirectory(prefix=f"graphmt-{name}-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _as_input_error(tempfile.gettempdir(), error) from None


def _as_input_error(folder: str, error: OSError) -> InputError:
    readable = in_words(folder, error)
    readable.hint = HINT
    return readable
