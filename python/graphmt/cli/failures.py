"""Failures as one sentence: errors that were raised on purpose, and all others as a last resort."""

from __future__ import annotations

import errno
import os
import sys

from graphmt.errors import GraphmtError

_MEMORY = "out of memory."
_LESS = "Use fewer --threads, a smaller --max-memory or less text at a time."

#: Errors of the operating system that a user can fix, with messages and advice.
_SYSTEM = {
    errno.ENOSPC: ("the disk is full.", "Free some space, or write to another disk."),
    getattr(errno, "EDQUOT", -1): ("the disk quota is exhausted.", "Free some space, or write to another disk."),
    errno.EROFS: ("the file system is read-only.", "Write somewhere else."),
    errno.EACCES: ("permission denied.", ""),
    errno.EPERM: ("permission denied.", ""),
    errno.ENOENT: ("no such file or folder.", ""),
    errno.EBADF: ("closed.", "Was it closed with <&- or >&-?"),
    errno.EMFILE: ("too many open files.", "Raise the limit (ulimit -n) or use fewer --threads."),
    errno.ENFILE: ("too many open files in the whole system.", "Try again later."),
    errno.EAGAIN: (
        "no more processes or threads can be started.",
        "Raise the limit (ulimit -u) or use fewer --threads.",
    ),
    errno.ENOMEM: (_MEMORY, _LESS),
}


def sentence(error: BaseException) -> tuple[str, int]:
    """The message for an exception, and the exit code."""
    if isinstance(error, GraphmtError):
        return str(error), error.exit_code
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError) or "failed to map segment" in text:
        return f"{_MEMORY} {_LESS}", 1
    if isinstance(error, RuntimeError) and "start new thread" in text:
        return "no more threads can be started. Raise the limit (ulimit -u, ulimit -v) or use fewer --threads.", 1
    if isinstance(error, OSError):
        words, advice = _SYSTEM.get(error.errno or 0, (f"{error.strerror or text or type(error).__name__}.", ""))
        place = f"{_named(error.filename)}: " if error.filename is not None else ""
        return f"{place}{words} {advice}".rstrip(), 1
    if isinstance(error, ImportError):
        return f"a package that graphmt needs cannot be imported: {text}.", 3
    return (
        f"{type(error).__name__}{f': {text}' if text else ''}. This is a bug in graphmt: please report it with the "
        "command and, if possible, the input. Set GRAPHMT_DEBUG=1 to see the traceback."
    ), 70


def behind(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    """This exception or one of its causes, if it is of a kind."""
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, kind):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def say(text: str) -> None:
    """Print a message, if there is anywhere to print it to."""
    # File names and contents may contain terminal escape sequences.
    plain = "".join(char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in f"graphmt: {text}")
    try:
        sys.stderr.write(plain + "\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        pass


def _named(path: object) -> str:
    return os.fsdecode(path) if isinstance(path, bytes | os.PathLike) else str(path)
