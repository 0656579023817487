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
    number: int = -1
    times: int = 0


_held: dict[str, _Held] = {}
# A signal between taking this lock and entering its block leaves it locked (Python 3.14); its thread gets it again.
_guard = threading.RLock()


@contextlib.contextmanager
def writer_lock(path: str | os.PathLike[str]) -> Iterator[None]:
    """Be the only writer of a file or folder while the block runs; fails at once if there is another.

    The lock is a hidden file beside the output, ``.NAME.lock``, locked by the operating system: a killed
    process leaves no lock. The same thread may take it again.
    """
    real = Path(os.path.realpath(path))
    key, thread = os.path.normcase(real), threading.get_ident()
    is_held, mine = False, _Held(thread)

    def give_back() -> None:
        nonlocal is_held
        with _guard:
            mine.times -= is_held
            is_held = False
            if mine.thread == thread and not mine.times:
                _held.pop(key, None)
                _release(_lock_file(real), mine)

    # The exception of a signal may come while the lock is taken or given back, too.
    try:
        with _guard:
            mine = _held.get(key, mine)
            if mine.thread != thread:
                raise _taken(path, os.getpid())
            if not mine.times:
                _acquire(path, real, mine)
                _held[key] = mine
            mine.times += 1
            is_held = True
        yield
    finally:
        try:
            give_back()
        except BaseException:
            give_back()
            raise


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


def _acquire(path: str | os.PathLike[str], real: Path, mine: _Held) -> None:
    """Open the lock file, lock it and write the process id into it."""
    file = _lock_file(real)
    while True:
        try:
            real.parent.mkdir(parents=True, exist_ok=True)
            mine.number = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise in_words(path, error) from None
        if not lock_open_file(mine.number):
            raise _taken(path, _holder(mine.number))
        if _is_open_as(mine.number, file):
            with contextlib.suppress(OSError):
                os.ftruncate(mine.number, 0)
                os.lseek(mine.number, 0, os.SEEK_SET)
                os.write(mine.number, str(os.getpid()).encode())
            return
        os.close(mine.number)
        mine.number = -1


def _is_open_as(number: int, file: Path) -> bool:
    """Whether the open file is still the one of this name: its last holder may have removed it before it was locked."""
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(number), file.stat())
    return False


def _holder(number: int) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        os.lseek(number, 0, os.SEEK_SET)
        return int(os.read(number, 32))
    return None


def _release(file: Path, mine: _Held) -> None:
    """Close the lock file, and remove it unless another process holds it. May be called again if it is interrupted."""
    with contextlib.suppress(OSError):
        if mine.number < 0:
            # Either it was not created, or a signal came before its descriptor could be kept.
            mine.number = os.open(file, os.O_RDWR)
        # Removed while locked: a process that has opened it sees that it is gone and creates a new one.
        if lock_open_file(mine.number) and _is_open_as(mine.number, file):
            file.unlink()
    number, mine.number = mine.number, -1
    if number < 0:
        return
    os.close(number)
    if sys.platform == "win32":
        with contextlib.suppress(OSError):
            file.unlink()


def _taken(path: str | os.PathLike[str], holder: int | None) -> InputError:
    writer = "another process" if holder is None else f"process {holder}"
    return InputError(
        f"{writer} is writing this.", file=path, hint="Wait until it has finished, or choose another name."
    )
