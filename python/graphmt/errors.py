"""Errors a user can act on: what was seen, where, what was expected, what to do next.

This module imports nothing of the package, so that everything, the Rust core included, can raise from it.
"""

from __future__ import annotations

import errno
import os

__all__ = ["GraphmtError", "InputError", "InternalError", "MissingPackageError", "OptionError"]


class GraphmtError(Exception):
    """The base of all errors raised on purpose; the command line prints it as one sentence.

    Parameters
    ----------
    message
        What was seen, and what was expected.
    file
        The file it is about.
    line
        The line in it, from 1.
    hint
        What to do.

    Examples
    --------
    >>> import graphmt
    >>> try:
    ...     graphmt.load("nowhere")
    ... except graphmt.GraphmtError as error:
    ...     print(error)
    nowhere: no such folder; a model is a folder.
    """

    exit_code = 1

    def __init__(
        self,
        message: str,
        *,
        file: str | os.PathLike[str] | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = None if file is None else os.fspath(file)
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} {self.hint}" if self.hint else text


class InputError(GraphmtError):
    """A file or value that cannot be used as it is.

    Examples
    --------
    >>> from graphmt.errors import InputError
    >>> print(InputError("an empty line.", file="train.de", line=7, hint="Clean the corpus first."))
    train.de:7: an empty line. Clean the corpus first.
    """


class OptionError(GraphmtError):
    """An option with an unknown name or an impossible value.

    Examples
    --------
    >>> from graphmt.errors import OptionError
    >>> from graphmt.lm import LmOptions
    >>> try:
    ...     LmOptions(order=0)
    ... except OptionError as error:
    ...     print(error)
    order must be at least 1, not 0.
    """

    exit_code = 2


class MissingPackageError(GraphmtError):
    """An optional package, model or tool that the chosen step needs is not installed.

    Examples
    --------
    >>> from graphmt.errors import MissingPackageError
    >>> MissingPackageError("parsing needs spacy.").exit_code
    3
    """

    exit_code = 3


class InternalError(GraphmtError):
    """A bug in graphmt.

    Examples
    --------
    >>> from graphmt.errors import InternalError
    >>> InternalError("this cannot happen.").exit_code
    70
    """

    exit_code = 70


def in_words(path: str | os.PathLike[str], error: OSError, *, hint: str | None = None) -> InputError:
    """An error of the operating system about a path, as a message for users."""
    by_type = {
        FileNotFoundError: "no such file or folder.",
        FileExistsError: "a part of this path is not a folder.",
        IsADirectoryError: "this is a folder, a file was expected.",
        NotADirectoryError: "a part of this path is not a folder.",
        PermissionError: "permission denied.",
    }
    by_number = {
        errno.ENOSPC: "no space left on device.",
        errno.EROFS: "the file system is read-only.",
        errno.EFBIG: "the file would be larger than the limit for files (see ulimit -f).",
        errno.ENAMETOOLONG: "the name is too long.",
    }
    said = by_type.get(type(error)) or by_number.get(error.errno or 0) or f"{error.strerror or error}."
    return InputError(said, file=path, hint=hint)
