"""One writer per output: a lock that ends with its process, even if it is killed."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from graphmt.errors import InputError, in_words

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

#: The position that is locked on Windows: behind the text, which others read.
_BEHIND = 1 << 20


@dataclasses.dataclass
class _Held:
    thread: int
    #: The open lock file.
    number: int
    times: int = 1


_held: dict[str, _Held] = {}
_guard = threading.Lock()


@contextlib.contextmanager
def writer_lock(path: str | os.PathLike[str]) -> Iterator[None]:
    """Be the only writer of a file or folder while the block runs; fails at once if there is another.

    The lock is a hidden file beside the output, ``.NAME.lock``, locked by the operating system: a killed
    process leaves no lock. The same thread may take it again.
    """
    real = Path(os.path.realpath(path))
    key, thread = os.path.normcase(real), threading.get_ident()
    with _guard:
        mine = _held.get(key)
        if mine is not None and mine.thread != thread:
            raise _taken(path, os.getpid())
        if mine is not None:
            mine.times += 1
        else:
            mine = _held[key] = _Held(thread, _acquire(path, real))
    try:
        yield
    finally:
        with _guard:
            mine.times -= 1
            if not mine.times:
                del _held[key]
                _release(_lock_file(real), mine.number)


@contextlib.contextmanager
def content_lock(folder: str | os.PathLike[str], file: str) -> Iterator[None]:
    """Be the only writer of an existing folder: takes the folder's lock or, where its parent is not writable, that of
    ``file`` in it."""
    beside = Path(os.path.realpath(folder)).parent
    with writer_lock(folder if os.access(beside, os.W_OK) else Path(folder) / file):
        yield


def lock_open_file(number: int) -> bool:
    """Lock an open file by its descriptor, unless another process has. True where locks are not supported."""
    try:
        if sys.platform == "win32":
            os.lseek(number, _BEHIND, os.SEEK_SET)
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
    return True


def _lock_file(real: Path) -> Path:
    return real.with_name(f".{real.name}.lock")


def _acquire(path: str | os.PathLike[str], real: Path) -> int:
    """The descriptor of the open lock file, locked and containing the process id."""
    file = _lock_file(real)
    while True:
        try:
            real.parent.mkdir(parents=True, exist_ok=True)
            number = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise in_words(path, error) from None
        try:
            if not lock_open_file(number):
                raise _taken(path, _holder(number))
            # Its last holder may have removed it between opening and locking.
            with contextlib.suppress(OSError):
                if os.path.samestat(os.fstat(number), file.stat()):
                    with contextlib.suppress(OSError):
                        os.ftruncate(number, 0)
                        os.lseek(number, 0, os.SEEK_SET)
                        os.write(number, str(os.getpid()).encode())
                    return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def _holder(number: int) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        os.lseek(number, 0, os.SEEK_SET)
        return int(os.read(number, 32))
    return None


def _release(file: Path, number: int) -> None:
    # Removed while locked: a process that has opened it sees that it is gone and creates a new one.
    with contextlib.suppress(OSError):
        file.unlink()
    os.close(number)
    if sys.platform == "win32":
        with contextlib.suppress(OSError):
            file.unlink()


def _taken(path: str | os.PathLike[str], holder: int | None) -> InputError:
    writer = "another process" if holder is None else f"process {holder}"
    return InputError(
        f"{writer} is writing this.", file=path, hint="Wait until it has finished, or choose another name."
    )
