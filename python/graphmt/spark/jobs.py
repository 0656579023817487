"""Stages of a pipeline on Spark: done once, written whole, and counted before they count as whole."""

from __future__ import annotations

import contextlib
import functools
import itertools
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmt.errors import InputError
from graphmt.progress import bar
from graphmt.spark.failures import errors_of_workers
from graphmt.spark.parallelism import cores, fit_partitions
from graphmt.spark.places import address, local_folder, pattern
from graphmt.spark.row_numbers import Tally, portion_tallies, require_all, tally
from graphmt.spark.shared_folders import SharedFolder
from graphmt.spark.shared_tokens import HINT
from graphmt.spark.watching import watched
from graphmt.spark.written_files import are_there, parquet_files, row_count, sizes
from graphmt.storage.addresses import require_path
from graphmt.storage.files import AnyPath, make_folder
from graphmt.storage.resume import Steps, resumable
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Rows of a Parquet file that the driver writes: few enough that every core gets some.
ROWS_PER_FILE = 20_000


@contextlib.contextmanager
def work_folder(out: AnyPath) -> Iterator[Path]:
    """A folder for stages: next to the output until it is whole, or temporary for standard output."""
    if str(out) == "-":
        with temporary_folder("spark") as folder:
            yield folder
        return
    require_path(out)
    path = Path(out)
    folder = path.with_name(path.name + ".working")
    with resumable(f"What is ready is kept in {folder}; the same command goes on from it."):
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


class Stages:
    """Stages of a pipeline: each writes a folder of Parquet files, whole or not at all, and is not repeated.

    The folder must be one that the driver and all executors see; they prove it before the first stage. A stage is whole
    if all rows that its tasks wrote are there, as many and with the numbers that are expected.
    """

    def __init__(self, session: SparkSession, folder: AnyPath, request: dict[str, Any]) -> None:
        self.session, self.folder, self.request = session, local_folder(folder), request
        make_folder(self.folder)
        self.steps = Steps(self.folder)
        self.shared = SharedFolder(session, self.folder)
        #: The rows of tables, which are numbered from 0.
        self.rows: dict[str, int] = {}

    def pieces(self, name: str) -> str:
        """The folder for the files that the tasks of a stage write, see :mod:`graphmt.spark.piece_files`."""
        return str(self.folder / f"{name}.pieces")

    def frame(
        self,
        name: str,
        title: str,
        made: Callable[[], DataFrame],
        check: Callable[[DataFrame], None] = lambda _: None,
    ) -> DataFrame:
        """The rows of a stage: read if an earlier run finished it with the same request, else made and written.

        ``check`` rejects written rows that are not what went in.
        """
        path, pieces = self.folder / name, Path(self.pieces(name))

        def work() -> dict[str, Any]:
            self.shared.prove()
            for old in (path, pieces):
                shutil.rmtree(old, ignore_errors=True)
            make_folder(pieces)
            with self.shared.announced(), errors_of_workers():
                written = self._write(title, path, made())
                files = self._counted(path, written)
                check(self.read(path))
            return {"rows": written, "files": files, "pieces": sizes(pieces)}

        def is_whole(report: dict[str, Any]) -> bool:
            return are_there(path, report.get("files")) and are_there(pieces, report.get("pieces"))

        self.steps.run(name, self.request, [path / "_SUCCESS"], work, is_whole)
        return self.read(path)

    def _write(self, title: str, path: Path, rows: DataFrame) -> int:
        """Write rows; returns how many Spark counted when the tasks had written them."""
        from pyspark.sql import Observation, functions

        fit_partitions(self.session)
        counted = Observation()
        write = rows.observe(counted, functions.count(functions.lit(1)).alias("rows")).write.mode("overwrite")
        watched(self.session, title, lambda: write.parquet(address(path)))
        return int(counted.get.get("rows") or 0)

    def _counted(self, path: Path, written: int) -> dict[str, list[int]]:
        """The files of a stage; rejected if they lack rows that its tasks wrote."""
        files = parquet_files(path)
        if (found := row_count(files)) != written:
            # Names the executors that do not see the folder, among them those that began later.
            self.shared.prove(again=True)
            raise InputError(f"{written:,} rows were written, but {found:,} are here.", file=path, hint=HINT)
        return files

    def read(self, *paths: Path) -> DataFrame:
        """The rows of Parquet files and folders; a missing file is an error, whatever the session's settings."""
        reader = self.session.read.option("ignoreMissingFiles", "false").option("ignoreCorruptFiles", "false")
        with errors_of_workers():
            return reader.parquet(*map(pattern, paths))

    def portions(
        self,
        name: str,
        title: str,
        rows: DataFrame,
        per_core: int,
        made: Callable[[DataFrame], DataFrame],
        *,
        one: str = "true",
    ) -> DataFrame:
        """The rows of a stage that is made in portions of so many ``number``s for each core: each is whole or not, and
        not repeated.

        The rows of a portion are spread over all cores. There must be a row for each number; where there are several,
        ``one`` is the condition that the first of them meets.
        """
        from pyspark.sql import functions

        # A resumed run has the same portions, even if it has other cores.
        settled = self.steps.run(name, self.request, [], lambda: {"size": per_core * cores(self.session)})
        size = settled["size"]
        number = functions.col("number")
        with errors_of_workers():
            expected = portion_tallies(rows, size)
        names = []
        for place in range(max(expected, default=0) + 1):
            start = place * size
            portion = rows.where((number >= start) & (number < start + size)).repartition(2 * cores(self.session))
            names.append(f"{name}-{start:012}")
            path = self.folder / names[-1]
            check = functools.partial(_require_numbers, expected.get(place, Tally()), one, title, path)
            self.frame(names[-1], title, functools.partial(made, portion), check)
        return self.read(*(self.folder / name for name in names))

    def file(self, name: str, work: Callable[[Path], None], *more: Path) -> Path:
        """A file of the driver, made once, perhaps with more files."""
        path = self.folder / name

        def made() -> dict[str, Any]:
            work(path)
            return {"files": {one.name: one.stat().st_size for one in (path, *more)}}

        def is_whole(report: dict[str, Any]) -> bool:
            return are_there(self.folder, report.get("files"))

        self.steps.run(name, self.request, [path, *more], made, is_whole)
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
            self.shared.prove()
            if path.exists():
                shutil.rmtree(path)
            path.mkdir()
            with bar(f"writing {name}"):
                count = write_rows(path, columns, rows(), binary=binary, rows_per_file=rows_per_file)
            (path / "_SUCCESS").touch()
            return {"rows": count, "files": parquet_files(path)}

        def is_whole(report: dict[str, Any]) -> bool:
            return are_there(path, report.get("files"))

        self.rows[name] = self.steps.run(name, self.request, [path / "_SUCCESS"], work, is_whole)["rows"]
        return self.read(path)


def _require_numbers(expected: Tally, one: str, title: str, path: Path, rows: DataFrame) -> None:
    require_all(expected, tally(rows.where(one)), title, path)


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
