"""The threads that translate, shared fairly: one unit of work of each request in turn.

A unit is mostly the translation of one sentence. The core releases the interpreter's lock while it searches, so that
threads of one process use all cores.

When nobody waits for a request any longer (its time is over, its client has gone, one of its units has failed, or the
server stops), its units end at their next point (``_core.point``), so that no request keeps a thread for longer.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from graphmt import _core
from graphmt.server.refusals import Refused

T = TypeVar("T")
R = TypeVar("R")

#: How long threads may take to reach the end of cancelled work, in seconds.
LAST = 0.5


class _Job:
    """The units of one request that are still to be done, and their results."""

    def __init__(
        self, units: Sequence[Callable[[], Any]], then: Callable[[list[Any]], Any] | None, future: asyncio.Future[Any]
    ) -> None:
        self.waiting = deque(enumerate(units))
        self.then = then
        self.results: list[Any] = [None] * len(units)
        self.left = len(units)
        self.future = future
        self.loop = future.get_loop()
        #: Ends the units that run.
        self.cancellation = _core.Cancellation()

    def finish(self, result: Any, error: BaseException | None) -> None:
        """Tell the request, in its own thread, unless it has given up."""
        # The loop is closed if the server was stopped by force.
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._tell, result, error)

    def _tell(self, result: Any, error: BaseException | None) -> None:
        if not self.future.done():
            if error is None:
                self.future.set_result(result)
            else:
                self.future.set_exception(error)

    def expire(self) -> None:
        """Refuse the request, whose time is over."""
        self.cancellation.cancel()
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
        #: The job of each thread that has one.
        self._running: dict[threading.Thread, _Job] = {}
        self._lock = threading.Lock()
        #: An item for each unit that was added, and for each thread that should end: what a thread waits for. A
        #: condition variable would do the same in interpreted code.
        self._calls: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.is_stopped = False
        number = threads or _cores()
        self.threads = [threading.Thread(target=self._work, name=f"translate-{k}", daemon=True) for k in range(number)]
        for thread in self.threads:
            thread.start()

    async def run(self, units: Sequence[Callable[[], T]], timeout: float | None = None) -> list[T]:
        """The results of all units, in order.

        If one raises an exception, the others are ended or dropped, and it is raised here. The same happens if the time
        is over or the caller is cancelled.
        """
        return cast("list[T]", await self._run(units, None, timeout)) if units else []

    async def run_then(
        self, units: Sequence[Callable[[], T]], then: Callable[[list[T]], R], timeout: float | None = None
    ) -> R:
        """What ``then`` returns for the results of all units; the thread that does the last unit calls it."""
        return cast("R", await self._run(units, then, timeout)) if units else then([])

    async def _run(
        self, units: Sequence[Callable[[], Any]], then: Callable[[list[Any]], Any] | None, timeout: float | None
    ) -> Any:
        loop = asyncio.get_running_loop()
        job = _Job(units, then, loop.create_future())
        with self._lock:
            if self.is_stopped:
                raise _stopping()
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
            for _ in units:
                self._calls.put(None)
        timer = loop.call_later(timeout, job.expire) if timeout is not None else None
        try:
            return await job.future
        finally:
            if timer is not None:
                timer.cancel()
            job.cancellation.cancel()
            self._drop(job)
            # An error refers to this call, and would keep all of the request in a circle until garbage is collected.
            del job, units, then

    def _drop(self, job: _Job) -> None:
        """Forget the units of a job that still wait."""
        if not job.waiting:
            return
        with self._lock:
            if job.waiting:
                self.waiting -= len(job.waiting)
                job.waiting.clear()
                # It is in the queue exactly as long as it has units that wait.
                self._jobs.remove(job)

    def _work(self) -> None:
        while True:
            self._calls.get()
            with self._lock:
                if not self._jobs:
                    if self.is_stopped:
                        return
                    # Its unit was dropped.
                    continue
                job = self._jobs.popleft()
                place, unit = job.waiting.popleft()
                self.waiting -= 1
                self.running += 1
                self._running[threading.current_thread()] = job
                if job.waiting:
                    self._jobs.append(job)
            self._do(job, place, unit)
            with self._lock:
                self.running -= 1
                del self._running[threading.current_thread()]

    def _do(self, job: _Job, place: int, unit: Callable[[], Any]) -> None:
        """Do a unit; after the last one, or one that fails, tell the request."""
        try:
            with job.cancellation:
                job.results[place] = unit()
                with self._lock:
                    job.left -= 1
                    is_last = job.left == 0
                result = job.then(job.results) if is_last and job.then is not None else job.results
            if is_last:
                job.finish(result, None)
        except _core.Cancelled:
            # Whoever cancelled it has told the request, or there is nobody to tell; only a stop has not.
            job.finish(None, _stopping())
        except BaseException as error:
            job.cancellation.cancel()
            self._drop(job)
            job.finish(None, error)
        finally:
            # As above.
            del job, unit

    def stop(self, wait: float | None = None) -> bool:
        """Take no more work, and end what was taken, unless it is finished within some seconds; None: wait for it.

        Returns whether all threads have ended. One that reaches no point stays for as long as its work takes.
        """
        with self._lock:
            self.is_stopped = True
            for _ in self.threads:
                self._calls.put(None)
        if not self._joined(wait):
            with self._lock:
                left = [*self._running.values(), *self._jobs]
            for job in left:
                job.cancellation.cancel()
                self._drop(job)
                job.finish(None, _stopping())
            self._joined(LAST)
        return not self.is_alive

    def _joined(self, wait: float | None) -> bool:
        """Whether all threads end within some time."""
        until = None if wait is None else time.monotonic() + wait
        for thread in self.threads:
            thread.join(None if until is None else max(0.0, until - time.monotonic()))
        return not self.is_alive

    @property
    def is_alive(self) -> bool:
        """Whether a thread runs."""
        return any(thread.is_alive() for thread in self.threads)


def _stopping() -> Refused:
    return Refused(503, "the server is stopping.", retry_after=5)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
