"""A pool of worker processes that never import the caller's script.

The pools of the standard library start their workers by importing the main module again: a script then needs
``if __name__ == "__main__"``, and text from standard input cannot be a script. These workers are programs of the
package. They get functions by name and import only the modules of these, with every way of starting processes and on
every system.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from graphmt.errors import GraphmtError
from graphmt.processes.messages import packed, receive, send
from graphmt.processes.programs import end, how_it_ended, start

Result = TypeVar("Result")


class WorkerTraceback(Exception):
    """The traceback of an exception in a worker, as its cause."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class WorkerPool:
    """Worker processes, started as they are needed; leaving the ``with`` block ends them.

    A thread for each worker passes requests and answers on.
    """

    def __init__(self, processes: int) -> None:
        self._threads = ThreadPoolExecutor(processes, "graphmt-worker")
        self._lock = threading.Lock()
        self._started: list[subprocess.Popen[bytes]] = []
        self._free: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        self._is_closed = False

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_closed = True
            for worker in self._started:
                end(worker)
        self._threads.shutdown(cancel_futures=True)
        for worker in self._started:
            for pipe in (worker.stdin, worker.stdout):
                if pipe is not None:
                    # What is left of a request that was not read.
                    _close(pipe)
            worker.wait()

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Call a function of a module in a worker."""
        return self._threads.submit(self._called, function, arguments)

    def _called(self, function: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        request = packed((function, arguments))
        worker = self._worker()
        assert worker.stdin is not None and worker.stdout is not None
        try:
            send(worker.stdin, request)
            answer = receive(worker.stdout)
        except (EOFError, OSError):
            worker.wait()
            raise GraphmtError(
                f"a worker process was ended {how_it_ended(worker.returncode)}.",
                hint="If memory is short, use fewer --threads.",
            ) from None
        self._free.put(worker)
        result, error, trace = pickle.loads(answer)
        if error is not None:
            raise error from WorkerTraceback(trace)
        made: Result = result
        return made

    def _worker(self) -> subprocess.Popen[bytes]:
        """A worker without work; there are never more than threads."""
        try:
            return self._free.get_nowait()
        except queue.Empty:
            pass
        with self._lock:
            if self._is_closed:
                raise GraphmtError("the pool of workers is closed.")
            made = start(_command(), text=False, stdout=subprocess.PIPE)
            self._started.append(made)
        return made


def _command() -> list[str]:
    """The command of a worker, which finds modules where this process does."""
    paths = [os.fspath(path) for path in sys.path if isinstance(path, str | os.PathLike)]
    code = f"import sys; sys.path[:] = {paths!a}; from graphmt.processes.worker import main; main()"
    return [sys.executable, "-c", code]


def _close(pipe: Any) -> None:
    with contextlib.suppress(OSError):
        pipe.close()
