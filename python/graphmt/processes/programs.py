"""Programs that end with their parent, even if it is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")

#: The longest time in seconds until a waiting main thread handles a signal.
SIGNAL_DELAY = 0.2


def follow_parent_of_program(*, is_busy: bool) -> None:
    """Initialise a program started with :func:`start`, whose standard input ends with its parent.

    ``is_busy``: it calls libraries that hold the GIL for long, so that no thread could notice.
    """
    if is_busy and sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            import ctypes

            # PR_SET_PDEATHSIG: the system kills this process when the thread that started it ends.
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    # Not through sys.stdin, whose lock a waiting thread would still hold when the interpreter exits.
    when_over(lambda: os.read(0, 1))


def program(file: Path, *arguments: str) -> list[str]:
    """The command that runs a file of the package without importing the folder that it lies in.

    The imports of ``python -m`` take longer than all that the program does with small data.
    """
    # Python 3.10 would look for modules in the current folder first.
    without = "import sys; sys.path[:] = filter(None, sys.path)"
    code = f"{without}; import runpy; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
    return [sys.executable, "-c", code, str(file), *arguments]


def start(command: list[str], **how: object) -> subprocess.Popen[Any]:
    """Start a program that ends with its parent, as the leader of a group that :func:`end` ends."""
    group = {"start_new_session": True} if os.name == "posix" else {}
    settings: dict[str, Any] = {"stdin": subprocess.PIPE, "text": True, **group, **how}
    return subprocess.Popen(command, **settings)


def how_it_ended(code: int) -> str:
    """How a program that failed ended: by a signal, or with an exit code."""
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"by {signal.Signals(-code).name}"
    return f"with exit code {code}"


def as_completed(futures: Iterable[Future[Result]]) -> Iterator[Result]:
    """The results of futures as they complete.

    A wait without a time limit can miss a signal: one that arrives just before the system call is handled after it.
    """
    pending = set(futures)
    while pending:
        done, pending = wait(pending, timeout=SIGNAL_DELAY, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


def end(program: subprocess.Popen[Any]) -> None:
    """End a program and all processes it started."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            # Its process id and group id are not reused until it is waited for.
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
        else:
            program.kill()


def when_over(wait: Callable[[], object]) -> None:
    """End this process and those it started as soon as ``wait`` returns, which a thread calls."""

    def watch() -> None:
        with contextlib.suppress(OSError, ValueError):
            wait()
        if os.name == "posix" and os.getpgid(0) == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
