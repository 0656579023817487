"""Experiments with arms and seeds as tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from graphmt.experiments.tasks import ArmTask
from graphmt.spark.failures import for_workers
from graphmt.spark.places import local_folder
from graphmt.spark.row_numbers import lost_rows
from graphmt.spark.shared_folders import SharedFolder
from graphmt.spark.watching import watched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def spread_over(session: SparkSession) -> Callable[[Sequence[ArmTask]], None]:
    """Run the arms and seeds of :func:`graphmt.experiments.run` as tasks on Spark.

    The tables are those of one machine, which computes them from the outputs of the tasks.

    Parameters
    ----------
    session
        The session. All executors must see the data and the output folder.

    Returns
    -------
    Callable
        The argument ``spread`` of :func:`graphmt.experiments.run`.

    Examples
    --------
    >>> from graphmt import spark
    >>> from graphmt.experiments import recipe, run
    >>> session = spark.open_session("local[2]")
    >>> run(recipe("segmentation"), "DATA", "OUT", spread=spark.spread_over(session))  # doctest: +SKIP
    """

    def spread(tasks: Sequence[ArmTask]) -> None:
        # One corpus after the other is worked on, in a folder of its own.
        shared = SharedFolder(session, local_folder(tasks[0].folder))
        try:
            shared.prove()
            rows = session.sparkContext.parallelize(list(tasks), len(tasks))
            with shared.announced():
                done = watched(session, "arms", rows.mapPartitions(_run).sum)
        finally:
            shared.remove_token()
        if done != len(tasks):
            raise lost_rows("running the arms", done, len(tasks), shared.folder)

    return spread


@for_workers
def _run(tasks: Iterable[ArmTask]) -> Iterator[int]:
    for task in tasks:
        task.run()
        yield 1
