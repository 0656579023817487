"""A worker of a pool: calls the functions that its parent asks for, until the parent closes its standard input."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import traceback
from typing import IO, Any

from graphmt.processes.messages import packed, receive, send
from graphmt.processes.programs import when_over


def main() -> None:
    """Answer requests, each a function and its arguments, in their order."""
    # Ctrl-C is for the parent, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = _streams()
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        with contextlib.suppress(EOFError):
            while True:
                waiting.put(receive(requests))

    # Read in a thread, so that the end of the parent is noticed during a call.
    when_over(read)
    while True:
        send(answers, _answer(waiting.get()))


def _streams() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes from and to the parent, out of the way of libraries that read or print."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # Without standard error, there is nowhere to print to.
    with contextlib.suppress(OSError):
        os.dup2(2, 1)
    return requests, answers


def _answer(request: bytes) -> bytes:
    """The result of a call, or its exception with the traceback."""
    try:
        function, arguments = pickle.loads(request)
        return packed((function(*arguments), None, ""))
    except Exception as error:
        return _failure(error, traceback.format_exc())


def _failure(error: Exception, trace: str) -> bytes:
    try:
        made = packed((None, error, trace))
        # Some exceptions can be pickled but not read back.
        pickle.loads(made)
        return made
    except Exception:
        plain: Any = RuntimeError(f"{type(error).__name__}: {error}")
        return packed((None, plain, trace))
