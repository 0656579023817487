"""Spark jobs: run with our progress display, and stages that are done once and written whole."""

from __future__ import annotations

import contextlib
import functools
import itertools
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from graphmt.progress import bar
from graphmt.spark.failures import errors_of_workers
from graphmt.storage.files import AnyPath, make_folder
from graphmt.storage.resume import Steps, resumable
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_T = TypeVar("_T")

#: Rows of a Parquet file that the driver writes: few enough that every core gets some.
ROWS_PER_FILE = 20_000

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


@contextlib.contextmanager
def work_folder(out: AnyPath) -> Iterator[Path]:
    """A folder for stages: next to the output until it is whole, or temporary for standard output."""
    path = Path(out)
    if str(path) == "-":
        with temporary_folder("spark") as folder:
            yield folder
        return
    folder = path.with_name(path.name + ".working")
    with resumable(f"What is ready is kept in {folder}; the same command goes on from it."):
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


class Stages:
    """Stages of a pipeline: each writes a folder of Parquet files, whole or not at all, and is not repeated.

    The folder must be one that the driver and all executors see.
    """

    def __init__(self, session: SparkSession, folder: AnyPath, request: dict[str, Any]) -> None:
        self.session, self.folder, self.request = session, Path(folder).resolve(), request
        make_folder(self.folder)
        self.steps = Steps(self.folder)

    def pieces(self, name: str) -> str:
        """The folder for the files that the tasks of a stage write, see :mod:`graphmt.spark.piece_files`."""
        return str(self.folder / f"{name}.pieces")

    def frame(self, name: str, title: str, made: Callable[[], DataFrame]) -> DataFrame:
        """The rows of a stage: read if an earlier run finished it with the same request, else made and written."""
        path = self.folder / name
        pieces = Path(self.pieces(name))

        def work() -> dict[str, Any]:
            shutil.rmtree(pieces, ignore_errors=True)
            make_folder(pieces)
            write = made().write.mode("overwrite")
            watched(self.session, title, lambda: write.parquet(path.as_uri()))
            return {}

        self.steps.run(name, self.request, [path / "_SUCCESS"], work)
        return self.session.read.parquet(path.as_uri())

    def portions(
        self, name: str, title: str, rows: DataFrame, size: int, made: Callable[[DataFrame], DataFrame]
    ) -> DataFrame:
        """The rows of a stage that is made in portions of so many ``number``s: each is whole or not, and not repeated.

        The rows of a portion are spread over all cores.
        """
        from pyspark.sql import functions

        with errors_of_workers():
            [found] = rows.agg(functions.max("number").alias("last")).collect()
        cores = self.session.sparkContext.defaultParallelism
        number, names = functions.col("number"), []
        for start in range(0, (found["last"] or 0) + 1, size):
            portion = rows.where((number >= start) & (number < start + size)).repartition(2 * cores)
            names.append(f"{name}-{start:012}")
            self.frame(names[-1], title, functools.partial(made, portion))
        return self.session.read.parquet(*((self.folder / name).as_uri() for name in names))

    def file(self, name: str, work: Callable[[Path], None], *more: Path) -> Path:
        """A file of the driver, made once, perhaps with more files."""
        path = self.folder / name

        def made() -> dict[str, Any]:
            work(path)
            return {}

        self.steps.run(name, self.request, [path, *more], made)
        return path

    def table(
        self,
        name: str,
        columns: Sequence[str],
        rows: Callable[[], Iterator[tuple[Any, ...]]],
        *,
        binary: bool = False,
        rows_per_file: int = ROWS_PER_FILE,
    ) -> DataFrame:
        """Rows of the driver: a number and texts (or bytes), written as Parquet files once."""
        path = self.folder / name

        def work() -> dict[str, Any]:
            if path.exists():
                shutil.rmtree(path)
            path.mkdir()
            with bar(f"writing {name}"):
                count = write_rows(path, columns, rows(), binary=binary, rows_per_file=rows_per_file)
            (path / "_SUCCESS").touch()
            return {"rows": count}

        self.steps.run(name, self.request, [path / "_SUCCESS"], work)
        return self.session.read.parquet(path.as_uri())


def write_rows(
    folder: Path,
    names: Sequence[str],
    rows: Iterator[tuple[Any, ...]],
    *,
    binary: bool = False,
    rows_per_file: int = ROWS_PER_FILE,
) -> int:
    """Write rows as Parquet files of a folder; the first column is a number, the others are text or bytes."""
    import pyarrow
    from pyarrow import parquet

    kinds = [pyarrow.int64(), *(pyarrow.binary() if binary else pyarrow.string() for _ in names[1:])]
    schema = pyarrow.schema(list(zip(names, kinds, strict=True)))
    count = number = 0
    while (chunk := list(itertools.islice(rows, rows_per_file))) or not number:
        columns = list(zip(*chunk, strict=True)) if chunk else [()] * len(names)
        arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        table = pyarrow.Table.from_arrays(arrays, schema=schema)
        parquet.write_table(table, folder / f"part-{number:06}.parquet", compression="zstd")
        count += len(chunk)
        number += 1
    return count
