"""The threads that translate, shared fairly: one unit of work of each request in turn.

A unit is mostly the translation of one sentence. The core releases the interpreter's lock while it searches, so that
threads of one process use all cores.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from graphmt.server.refusals import Refused

T = TypeVar("T")


class _Job:
    """The units of one request that are still to be done, and their results."""

    def __init__(self, units: Sequence[Callable[[], Any]], future: asyncio.Future[list[Any]]) -> None:
        self.waiting = deque(enumerate(units))
        self.results: list[Any] = [None] * len(units)
        self.left = len(units)
        self.future = future
        self.loop = future.get_loop()

    def finish(self, error: BaseException | None = None) -> None:
        """Tell the request, in its own thread, unless it has given up."""

        def tell() -> None:
            if not self.future.done():
                if error is None:
                    self.future.set_result(self.results)
                else:
                    self.future.set_exception(error)

        # The loop is closed if the server was stopped by force.
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(tell)

    def expire(self) -> None:
        """Refuse the request, whose time is over."""
        if not self.future.done():
            self.future.set_exception(
                Refused(504, "the request took too long.", hint="Send fewer or shorter sentences.", retry_after=5)
            )


class Scheduler:
    """Threads that take units of work from all requests in turn, from a queue of limited length.

    Parameters
    ----------
    threads
        Number of threads; 0: one per core.
    capacity
        Most units that wait; a request with more than fit is refused.
    """

    def __init__(self, threads: int, capacity: int) -> None:
        self.capacity = capacity
        self.waiting = self.running = 0
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self.is_stopped = False
        number = threads or _cores()
        self.threads = [threading.Thread(target=self._work, name=f"translate-{k}", daemon=True) for k in range(number)]
        for thread in self.threads:
            thread.start()

    async def run(self, units: Sequence[Callable[[], T]], timeout: float | None = None) -> list[T]:
        """The results of all units, in order.

        If one raises an exception, the others that still wait are dropped and it is raised here. If the time is over,
        or the caller is cancelled, waiting units are dropped as well.
        """
        if not units:
            return []
        loop = asyncio.get_running_loop()
        job = _Job(units, loop.create_future())
        with self._changed:
            if self.is_stopped:
                raise Refused(503, "the server is stopping.", retry_after=5)
            # A request that is alone always fits: its own limits have been checked.
            if self.waiting and self.waiting + len(units) > self.capacity:
                raise Refused(
                    503,
                    f"the server is busy: {self.waiting} sentences are waiting.",
                    hint="Try again later.",
                    retry_after=1,
                )
            self.waiting += len(units)
            self._jobs.append(job)
            self._changed.notify(min(len(units), len(self.threads)))
        timer = loop.call_later(timeout, job.expire) if timeout is not None else None
        try:
            return await job.future
        finally:
            if timer is not None:
                timer.cancel()
            self._drop(job)

    def _drop(self, job: _Job) -> None:
        """Forget the units of a job that still wait."""
        with self._changed:
            if job.waiting:
                self.waiting -= len(job.waiting)
                job.waiting.clear()
                # It is in the queue exactly as long as it has units that wait.
                self._jobs.remove(job)

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._jobs and not self.is_stopped:
                    self._changed.wait()
                if not self._jobs:
                    return
                job = self._jobs.popleft()
                place, unit = job.waiting.popleft()
                self.waiting -= 1
                self.running += 1
                if job.waiting:
                    self._jobs.append(job)
            error: BaseException | None = None
            try:
                job.results[place] = unit()
            except BaseException as caught:
                error = caught
            with self._changed:
                self.running -= 1
                job.left -= 1
                over = job.left == 0
            if error is not None:
                self._drop(job)
                job.finish(error)
            elif over:
                job.finish()

    def stop(self) -> None:
        """Take no more work; what was taken is finished. Returns when all threads have ended."""
        with self._changed:
            self.is_stopped = True
            self._changed.notify_all()
        for thread in self.threads:
            thread.join()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
