"""Language models: n-grams counted and merged on Spark, the model estimated from the sorted counts by the driver.

The model is the same file as that of :func:`graphmt.lm.train` from the same lines.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphmt import _core
from graphmt.errors import InputError
from graphmt.lm import LmOptions
from graphmt.lm.train import Trained, is_arpa, report_of
from graphmt.progress import phases
from graphmt.spark.failures import errors_of_workers, for_workers
from graphmt.spark.jobs import Stages, watched
from graphmt.spark.rule_steps import grouped, pieces
from graphmt.spark.schemas import LINES, PIECES, require_columns
from graphmt.spark.worker_files import loaded, send_file
from graphmt.storage.files import AnyPath, writing_bytes
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

#: Lines that the bounds of parts are chosen from, and lines whose n-grams make up one part.
SAMPLE, LINES_PER_PART = 20_000, 500_000

#: Bytes of counted n-grams that a task adds up before it passes them on.
BUDGET = 256 << 20

_NGRAMS, _REPORT = "ngrams", "report"


def estimate(
    lines: DataFrame,
    out: AnyPath,
    options: LmOptions | None = None,
    *,
    work: AnyPath | None = None,
    request: dict[str, Any] | None = None,
) -> Trained:
    """Estimate a language model from lines, and write it whole or not at all.

    Parameters
    ----------
    lines
        Lines of tokens with the columns ``number`` (from 0, without gaps) and ``text``.
    out
        The file to write, by the driver: an ARPA file if its name ends in ``.arpa`` or ``.arpa.gz``.
    options
        Order, pruning and the memory of the driver.
    work
        A folder for intermediate results, which the driver and all executors see; a repeated call resumes from the
        stages that are whole in it. Without it, a temporary folder of this machine.
    request
        What determines the lines, for resuming, such as digests of files.

    Returns
    -------
    Trained
        Counts and discounts.

    Raises
    ------
    InputError
        If there are no words, or discounts cannot be estimated.

    Examples
    --------
    >>> from graphmt import spark
    >>> from graphmt.lm import LmOptions
    >>> session = spark.open_session("local[2]")
    >>> lines = session.createDataFrame([(0, "a b c"), (1, "a b")], "number long, text string")
    >>> spark.estimate(lines, "tiny.lm", LmOptions(order=2, discount_fallback=True)).tokens
    5
    """
    options = options or LmOptions()
    if work is None:
        with temporary_folder("spark") as folder:
            return estimate(lines, out, options, work=folder, request=request)
    plain = {name: getattr(options, name) for name in ("order", "reserved_words")}
    stages = Stages(lines.sparkSession, work, {"lm": plain, **(request or {})})
    rows = require_columns(lines, LINES)
    words = stages.file("words", functools.partial(_write_words, rows, stages))
    job = _Job(options, send_file(stages.session, words))
    bounds = stages.file("bounds", functools.partial(_write_bounds, rows, job, stages))
    job = dataclasses.replace(job, bounds=bounds.read_bytes())
    merged = stages.frame("ngrams", "counting n-grams", lambda: _merged(rows, job))
    (about,) = _rows(merged, _REPORT)
    size = json.loads(about.data)
    read = iter(row.data for row in _rows(merged, _NGRAMS))
    text = _CountedText(words.read_bytes().decode("utf-8"), size["lines"], size["tokens"], read)
    with phases() as report:
        made = _core.lm_from_ngrams(
            text,
            out,
            options,
            arpa=is_arpa(out),
            temporary=options.temporary or tempfile.gettempdir(),
            progress=report,
        )
    return report_of(made, options)


class _CountedText(NamedTuple):
    words: str
    lines: int
    tokens: int
    pieces: Iterator[bytes]


@dataclasses.dataclass(frozen=True)
class _Job:
    """What a worker needs to count n-grams."""

    options: LmOptions
    words: str
    bounds: bytes = b""

    def counter(self) -> _core.NgramCounter:
        text = loaded("lm words", (self.words,), lambda paths: paths[0].read_bytes().decode("utf-8"))
        return _core.NgramCounter(text, self.options, self.bounds)


def _write_words(rows: DataFrame, stages: Stages, path: Path) -> None:
    from pyspark.sql import functions

    found = rows.mapInArrow(_find_words, "symbol string, place long")
    firsts = found.groupBy("symbol").agg(functions.min("place").alias("place")).orderBy("place")
    with writing_bytes(path) as stream, errors_of_workers():
        for row in watched(stages.session, "finding words", firsts.select("symbol").toLocalIterator):
            stream.write(row.symbol.encode("utf-8") + b"\n")


def _write_bounds(rows: DataFrame, job: _Job, stages: Stages, path: Path) -> None:
    from pyspark.sql import functions

    count = watched(stages.session, "counting lines", rows.count)
    if count == 0:
        raise InputError("no lines.", hint="Is the DataFrame empty?")
    every = max(1, count // SAMPLE)
    sample = rows.where(functions.col("number") % every == every // 2)
    counter = job.counter()
    for batch in watched(stages.session, "sampling", sample.toArrow).to_batches():
        counter.add(*_columns(batch))
    cores = stages.session.sparkContext.defaultParallelism
    with writing_bytes(path) as stream:
        stream.write(counter.suggest_bounds(max(2 * cores, -(-count // LINES_PER_PART))))


def _columns(batch: pyarrow.RecordBatch) -> tuple[list[int], list[str]]:
    if batch.num_rows > 1:
        batch = batch.sort_by("number")
    return batch.column("number").to_pylist(), [text or "" for text in batch.column("text").to_pylist()]


def _merged(rows: DataFrame, job: _Job) -> DataFrame:
    counted = rows.mapInArrow(functools.partial(_count, job=job), PIECES)
    return counted.groupBy("kind", "part").applyInArrow(grouped(_merge), PIECES)


@for_workers
def _find_words(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    for batch in batches:
        found = _core.lm_words(*_columns(batch))
        symbols, places = zip(*found, strict=True) if found else ((), ())
        arrays = [pyarrow.array(symbols, pyarrow.string()), pyarrow.array(places, pyarrow.int64())]
        yield pyarrow.RecordBatch.from_arrays(arrays, ["symbol", "place"])


@for_workers
def _count(batches: Iterator[pyarrow.RecordBatch], job: _Job) -> Iterator[pyarrow.RecordBatch]:
    counter = job.counter()
    for batch in batches:
        if counter.add(*_columns(batch)) > BUDGET:
            yield from (pieces([(_NGRAMS, piece.part, 0, piece.data)]) for piece in counter.take())
    yield from (pieces([(_NGRAMS, piece.part, 0, piece.data)]) for piece in counter.take())
    size = {"lines": counter.lines, "tokens": counter.tokens}
    yield pieces([(_REPORT, 0, 0, json.dumps(size).encode())])


def _merge(table: pyarrow.Table) -> list[tuple[str, int, int, bytes]]:
    kind, part = table.column("kind")[0].as_py(), table.column("part")[0].as_py()
    data = table.column("data").to_pylist()
    if kind == _REPORT:
        sizes = [json.loads(one) for one in data]
        whole = {name: sum(size[name] for size in sizes) for name in ("lines", "tokens")}
        return [(_REPORT, 0, 0, json.dumps(whole).encode())]
    return [(_NGRAMS, part, at, piece) for at, piece in enumerate(_core.merge_ngrams(data))]


def _rows(frame: DataFrame, kind: str) -> Iterator[Any]:
    from pyspark.sql import functions

    with errors_of_workers():
        yield from frame.where(functions.col("kind") == kind).orderBy("part", "origin").toLocalIterator()
