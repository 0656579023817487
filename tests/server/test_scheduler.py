"""The threads are shared fairly, the queue is bounded, and nothing is lost."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest
from graphmt import _core
from graphmt.server.refusals import Refused
from graphmt.server.scheduler import Scheduler


def stopped(scheduler: Scheduler) -> None:
    scheduler.stop()
    assert not any(thread.is_alive() for thread in scheduler.threads)
    assert (scheduler.waiting, scheduler.running) == (0, 0)


def test_results_come_in_order() -> None:
    scheduler = Scheduler(3, 1000)
    found = asyncio.run(scheduler.run([lambda k=k: k * k for k in range(100)]))
    assert found == [k * k for k in range(100)]
    assert asyncio.run(scheduler.run([])) == []
    stopped(scheduler)


def test_a_short_request_does_not_wait_for_a_long_one() -> None:
    scheduler = Scheduler(1, 1000)
    done: list[str] = []
    began, go_on = threading.Event(), threading.Event()

    def unit(name: str) -> None:
        done.append(name)
        began.set()
        go_on.wait()

    async def both() -> None:
        long = asyncio.create_task(scheduler.run([lambda: unit("long")] * 50))
        await asyncio.to_thread(began.wait)
        short = asyncio.create_task(scheduler.run([lambda: unit("short")] * 3))
        while scheduler.waiting < 49 + 3:
            await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(short, long)

    asyncio.run(both())
    # The two take turns from the moment the short one comes: one of each.
    assert done[:7] == ["long", "long", "short", "long", "short", "long", "short"]
    assert done.count("long") == 50
    stopped(scheduler)


def test_a_full_queue_refuses() -> None:
    scheduler = Scheduler(1, 3)
    began, go_on = threading.Event(), threading.Event()

    def held() -> None:
        began.set()
        go_on.wait()

    async def overload() -> None:
        first = asyncio.create_task(scheduler.run([held]))
        await asyncio.to_thread(began.wait)
        second = asyncio.create_task(scheduler.run([int, int]))
        while scheduler.waiting < 2:
            await asyncio.sleep(0)
        with pytest.raises(Refused, match="busy") as refused:
            await scheduler.run([int, int])
        assert (refused.value.status, refused.value.retry_after) == (503, 1)
        go_on.set()
        assert await second == [0, 0]
        await first

    asyncio.run(overload())
    stopped(scheduler)


def test_the_rest_of_a_failed_or_late_request_is_dropped() -> None:
    scheduler = Scheduler(1, 1000)
    began, go_on = threading.Event(), threading.Event()
    done: list[int] = []

    def held() -> None:
        began.set()
        go_on.wait()

    async def fail() -> None:
        with pytest.raises(ZeroDivisionError):
            await scheduler.run([lambda: 1 // 0, lambda: done.append(1)])
        with pytest.raises(Refused, match="too long") as refused:
            await scheduler.run([held, lambda: done.append(2)], 0.01)
        assert refused.value.status == 504
        cancelled = asyncio.create_task(scheduler.run([lambda: done.append(3)]))
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert scheduler.waiting == 0
        go_on.set()
        assert await scheduler.run([lambda: 5]) == [5]

    asyncio.run(fail())
    assert done == []
    stopped(scheduler)


def endless() -> None:
    while True:
        _core.point()


def test_work_that_nobody_waits_for_ends() -> None:
    scheduler = Scheduler(2, 1000)
    began = threading.Event()

    def long() -> None:
        began.set()
        _core.shuffled_sums(np.zeros((2, 1_000_000, 1)), 10_000, 1, threads=1)

    def failing() -> None:
        began.wait()
        raise ZeroDivisionError

    async def idle() -> None:
        while scheduler.running:
            await asyncio.sleep(0)
        began.clear()

    async def abandon() -> None:
        # The time of the request is over.
        with pytest.raises(Refused, match="too long"):
            await scheduler.run([long, endless], 0.01)
        await idle()
        # Its client has gone.
        cancelled = asyncio.create_task(scheduler.run([long, endless]))
        await asyncio.to_thread(began.wait)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        await idle()
        # Another unit of it failed.
        with pytest.raises(ZeroDivisionError):
            await scheduler.run([long, failing])
        await idle()
        # What comes afterwards is done as ever.
        assert await scheduler.run([lambda: 5, _core.point]) == [5, None]

    asyncio.run(abandon())
    stopped(scheduler)


def test_stopping_ends_what_takes_too_long() -> None:
    scheduler = Scheduler(1, 1000)

    async def stop() -> None:
        asked = [asyncio.create_task(scheduler.run([endless])) for _ in range(3)]
        while not scheduler.running:
            await asyncio.sleep(0)
        assert await asyncio.to_thread(scheduler.stop, 0.0)
        for one in asked:
            with pytest.raises(Refused, match="stopping") as refused:
                await one
            assert refused.value.status == 503

    asyncio.run(stop())
    stopped(scheduler)


def test_the_last_thread_makes_the_answer() -> None:
    scheduler = Scheduler(2, 1000)

    async def ask() -> None:
        names: list[str] = []

        def answer(found: list[int]) -> int:
            names.append(threading.current_thread().name)
            return sum(found)

        assert await scheduler.run_then([lambda k=k: k for k in range(10)], answer) == 45
        assert names[0].startswith("translate-")
        assert await scheduler.run_then([], answer) == 0
        # What fails there fails the request, and the thread goes on.
        with pytest.raises(ZeroDivisionError):
            await scheduler.run_then([int], lambda found: 1 // found[0])
        assert await scheduler.run([lambda: 5]) == [5]

    asyncio.run(ask())
    stopped(scheduler)


def test_stopping_finishes_what_was_accepted() -> None:
    scheduler = Scheduler(2, 1000)
    go_on = threading.Event()

    async def stop() -> None:
        task = asyncio.create_task(scheduler.run([go_on.wait] * 20))
        while not scheduler.running:
            await asyncio.sleep(0)
        stopping = asyncio.create_task(asyncio.to_thread(scheduler.stop))
        while not scheduler.is_stopped:
            await asyncio.sleep(0)
        with pytest.raises(Refused, match="stopping"):
            await scheduler.run([int])
        go_on.set()
        assert await task == [True] * 20
        await stopping

    asyncio.run(stop())
    stopped(scheduler)
