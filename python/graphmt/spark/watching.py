"""Spark jobs with our progress display."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from graphmt.progress import bar
from graphmt.spark.failures import errors_of_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_T = TypeVar("_T")

#: Seconds between two looks at whether a job has ended, and looks at it between two at its tasks, which take longer.
_PAUSE, _EVERY = 0.1, 10


def watched(session: SparkSession, title: str, job: Callable[[], _T]) -> _T:
    """Run a job and show its finished tasks; an interrupt cancels it."""
    from pyspark import InheritableThread

    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            outcome["made"] = job()
        except BaseException as error:  # Raised again in the calling thread.
            outcome["error"] = error

    context = session.sparkContext
    group = f"graphmt-{threading.get_ident()}-{title}"
    with errors_of_workers(), bar(title) as advance:
        context.setJobGroup(group, title)
        thread = InheritableThread(target=work, daemon=True, session=session)
        thread.start()
        try:
            for look in itertools.count():
                if not look % _EVERY:
                    advance(_finished(context.statusTracker(), group))
                thread.join(_PAUSE)
                if not thread.is_alive():
                    break
        except BaseException:
            with contextlib.suppress(Exception):
                context.cancelJobGroup(group)
            raise
        if "error" in outcome:
            raise outcome["error"]
    made: _T = outcome["made"]
    return made


def _finished(tracker: Any, group: str) -> int:
    """The number of finished tasks of a group of jobs."""
    done = 0
    for job in tracker.getJobIdsForGroup(group):
        about = tracker.getJobInfo(job)
        for stage in about.stageIds if about else ():
            info = tracker.getStageInfo(stage)
            done += info.numCompletedTasks if info else 0
    return done
