"""Language models, estimated on Spark and written by the driver.

1. *adjusted*: tasks count the n-grams of their lines; those with the same last two words are merged in one part, where
   they have their adjusted counts;
2. the driver adds up the counts of words and the counts of counts, which determine the discounts;
3. *estimated*: n-grams with the same context are normalised in one part, and joined with shorter ones where their last
   words are;
4. the driver writes the n-grams of all parts, in their order.

The model is the same file as that of :func:`graphmt.lm.train` from the same lines.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphmt import _core
from graphmt.errors import InputError, OptionError
from graphmt.lm import LmOptions
from graphmt.lm.train import Trained, is_arpa, report_of
from graphmt.progress import phases
from graphmt.spark.columns import MOST_LINES, NumberedLines
from graphmt.spark.failures import errors_of_workers, for_workers
from graphmt.spark.jobs import Stages, work_folder
from graphmt.spark.parallelism import cores, fit_partitions
from graphmt.spark.piece_files import piece_file, read_piece
from graphmt.spark.reading import text_lines
from graphmt.spark.row_numbers import checked_tally, lost_rows
from graphmt.spark.rule_steps import MOST_SYMBOLS, grouped, pieces
from graphmt.spark.schemas import LINES, PIECES, require_columns
from graphmt.spark.watching import watched
from graphmt.spark.worker_files import loaded, send_file
from graphmt.storage.files import AnyPath, digest, writing_bytes
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

#: Lines that the bounds of parts are chosen from, and lines whose n-grams make up one part.
SAMPLE, LINES_PER_PART = 20_000, 500_000

#: Bytes of counted n-grams that a task adds up before it passes them on.
BUDGET = 256 << 20

#: Kinds of pieces. Those with an order are followed by it: counted n-grams of a context, shares and weights that are
#: exchanged between parts, and estimated n-grams.
_NGRAMS, _SIZE, _STATISTICS, _WORDS, _BACKOFFS = "ngrams", "size", "statistics", "words", "backoffs"
_COUNTS, _SHARES, _WEIGHTS, _ESTIMATED = "counts ", "shares ", "weights ", "estimated "


def estimate(
    lines: DataFrame,
    out: AnyPath,
    options: LmOptions | Mapping[str, Any] | None = None,
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
    options = LmOptions.of(options)
    if work is None:
        with temporary_folder("spark") as folder:
            return estimate(lines, out, options, work=folder, request=request)
    plain = {name: getattr(options, name) for name in ("order", "reserved_words", "prune", "discount_fallback")}
    stages = Stages(lines.sparkSession, work, {"lm": plain, **(request or {})})
    rows = require_columns(lines, LINES)
    words = stages.file("words", functools.partial(_write_words, rows, stages))
    job = _Job(options, send_file(stages.session, words), stages.pieces("adjusted"), stages.pieces("estimated"))
    bounds = stages.file("bounds.json", functools.partial(_write_bounds, rows, job, stages))
    chosen = json.loads(bounds.read_bytes())
    job = dataclasses.replace(job, bounds=bytes.fromhex(chosen["bounds"]))

    def check_lines(found: DataFrame) -> None:
        [size] = (json.loads(row.data) for row in _collected(found, _SIZE))
        if size["lines"] != chosen["lines"]:
            raise lost_rows("counting n-grams", size["lines"], chosen["lines"], job.adjusted)

    adjusted = stages.frame("adjusted", "counting n-grams", lambda: _adjusted(rows, job), check_lines)
    about = _collected(adjusted, _SIZE, _STATISTICS, _WORDS)
    [size] = (json.loads(row.data) for row in about if row.kind == _SIZE)
    if not size["tokens"]:
        raise InputError("no words.", hint="A language model is estimated from text with one sentence a line.")
    text = words.read_bytes().decode("utf-8")
    statistics = [json.loads(row.data) for row in about if row.kind == _STATISTICS]
    summary = _core.LmSummary(
        [read_piece(job.adjusted, row.data) for row in about if row.kind == _WORDS],
        text.count("\n"),
        [[sum(column) for column in zip(*parts, strict=True)] for parts in zip(*statistics, strict=True)],
        options,
    )
    known = stages.file("words.probabilities", lambda path: _write_bytes(path, summary.probabilities))
    discounts = tuple(tuple(one) for one in summary.discounts)
    job = dataclasses.replace(job, discounts=discounts, probabilities=send_file(stages.session, known))
    estimated = stages.frame("estimated", "estimating", lambda: _estimated(adjusted, job))
    orders = range(2, options.order + 1)
    found = _collected(estimated, _BACKOFFS, *(f"{_ESTIMATED}{order}" for order in orders))
    ngrams = (
        (order, read_piece(job.estimated, row.data))
        for order in orders
        for row in found
        if row.kind == f"{_ESTIMATED}{order}"
    )
    backoffs = [read_piece(job.estimated, row.data) for row in found if row.kind == _BACKOFFS]
    whole = _EstimatedText(text, size["lines"], size["tokens"], backoffs, ngrams)
    with phases() as report:
        made = _core.lm_from_parts(whole, summary, out, arpa=is_arpa(out), progress=report)
    return report_of(made, options)


def train_on_spark(session: SparkSession, texts: Sequence[AnyPath], out: AnyPath, options: LmOptions) -> Trained:
    """As :func:`graphmt.lm.train`; stages are kept next to the output until it is whole."""
    if "-" in map(str, texts):
        raise OptionError("the Spark engine reads files, not standard input.", hint="Give files.")
    request = {"texts": [digest(text) for text in texts]}
    with work_folder(out) as work:
        lines = text_lines(Stages(session, work / "corpus", request), texts)
        return estimate(lines, out, options, work=work, request=request)


class _EstimatedText(NamedTuple):
    words: str
    lines: int
    tokens: int
    backoffs: list[bytes]
    ngrams: Iterator[tuple[int, bytes]]


@dataclasses.dataclass(frozen=True)
class _Job:
    """What a worker needs: options, the names of sent files, and the folders of two stages."""

    options: LmOptions
    words: str
    adjusted: str
    estimated: str
    bounds: bytes = b""
    discounts: tuple[tuple[float, ...], ...] = ()
    probabilities: str = ""

    def counter(self) -> _core.NgramCounter:
        text = loaded("lm words", (self.words,), lambda paths: paths[0].read_bytes().decode("utf-8"))
        return _core.NgramCounter(text, self.options, self.bounds)


def _write_bytes(path: Path, data: bytes) -> None:
    with writing_bytes(path) as stream:
        stream.write(data)


def _write_words(rows: DataFrame, stages: Stages, path: Path) -> None:
    from pyspark.sql import functions

    found = rows.mapInArrow(_find_words, "symbol string, place long")
    firsts = found.groupBy("symbol").agg(functions.min("place").alias("place")).orderBy("place")
    with writing_bytes(path) as stream, errors_of_workers():
        for row in watched(stages.session, "finding words", firsts.select("symbol").toLocalIterator):
            stream.write(row.symbol.encode("utf-8") + b"\n")


def _write_bounds(rows: DataFrame, job: _Job, stages: Stages, path: Path) -> None:
    from pyspark.sql import functions

    fit_partitions(stages.session)
    count = watched(stages.session, "counting lines", lambda: checked_tally(rows, MOST_LINES)).rows
    if count == 0:
        raise InputError("no lines.", hint="Is the DataFrame empty?")
    every = max(1, count // SAMPLE)
    sample = rows.where(functions.col("number") % every == every // 2)
    counter = job.counter()
    for batch in watched(stages.session, "sampling", sample.toArrow).to_batches():
        counter.add(NumberedLines.of(batch))
    parts = max(2 * cores(stages.session), -(-count // LINES_PER_PART))
    about = {"lines": count, "bounds": counter.suggest_bounds(parts).hex()}
    with writing_bytes(path) as stream:
        stream.write(json.dumps(about).encode())


@for_workers
def _find_words(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    def rows(first: dict[str, int]) -> pyarrow.RecordBatch:
        arrays = [pyarrow.array(first, pyarrow.string()), pyarrow.array(first.values(), pyarrow.int64())]
        return pyarrow.RecordBatch.from_arrays(arrays, ["symbol", "place"])

    first: dict[str, int] = {}
    for batch in batches:
        found = _core.lm_words(NumberedLines.of(batch))
        for word, place in found:
            if place < first.get(word, place + 1):
                first[word] = place
        if len(first) > MOST_SYMBOLS:
            yield rows(first)
            first.clear()
    yield rows(first)


def _adjusted(rows: DataFrame, job: _Job) -> DataFrame:
    counted = rows.mapInArrow(functools.partial(_count, job=job), PIECES)
    return counted.groupBy("kind", "part").applyInArrow(grouped(_adjust, job), PIECES)


@for_workers
def _count(batches: Iterator[pyarrow.RecordBatch], job: _Job) -> Iterator[pyarrow.RecordBatch]:
    counter = job.counter()
    for batch in batches:
        if counter.add(NumberedLines.of(batch)) > BUDGET:
            yield from (pieces([(_NGRAMS, piece.part, 0, piece.data)]) for piece in counter.take())
    yield from (pieces([(_NGRAMS, piece.part, 0, piece.data)]) for piece in counter.take())
    size = {"lines": counter.lines, "tokens": counter.tokens}
    yield pieces([(_SIZE, 0, 0, json.dumps(size).encode())])


def _adjust(table: pyarrow.Table, job: _Job) -> list[tuple[str, int, int, bytes]]:
    kind, part = table.column("kind")[0].as_py(), table.column("part")[0].as_py()
    data = table.column("data").to_pylist()
    if kind == _SIZE:
        sizes = [json.loads(one) for one in data]
        whole = {name: sum(size[name] for size in sizes) for name in ("lines", "tokens")}
        return [(_SIZE, 0, 0, json.dumps(whole).encode())]
    made = _core.adjust_ngrams(data, job.options, job.bounds)
    with piece_file(job.adjusted) as file:
        return [
            (_STATISTICS, part, 0, json.dumps(made.statistics).encode()),
            (_WORDS, part, 0, file.add(made.words)),
            *((f"{_COUNTS}{order}", where, part, file.add(own)) for order, where, own in made.counts),
        ]


def _estimated(adjusted: DataFrame, job: _Job) -> DataFrame:
    from pyspark.sql import functions

    counts = adjusted.where(functions.col("kind").startswith(_COUNTS))
    normalised = counts.groupBy("part").applyInArrow(grouped(_normalise, job), PIECES)
    return normalised.groupBy("part").applyInArrow(grouped(_interpolate, job), PIECES)


def _normalise(table: pyarrow.Table, job: _Job) -> list[tuple[str, int, int, bytes]]:
    """The shares of n-grams, and the weights of contexts, for the parts of their last words."""
    part, rows = table.column("part")[0].as_py(), table.to_pylist()
    made: list[tuple[str, int, int, bytes]] = []
    for order in range(2, job.options.order + 1):
        given = [read_piece(job.adjusted, row["data"]) for row in rows if row["kind"] == f"{_COUNTS}{order}"]
        found = _core.normalise_ngrams(order, given, job.discounts[order - 1], job.bounds)
        made += ((f"{_SHARES}{order}", piece.part, part, piece.data) for piece in found.shares)
        if order == 2:
            made += ((_BACKOFFS, -1, part, piece.data) for piece in found.weights)
        else:
            made += ((f"{_WEIGHTS}{order - 1}", piece.part, part, piece.data) for piece in found.weights)
    return made


def _interpolate(table: pyarrow.Table, job: _Job) -> list[tuple[str, int, int, bytes]]:
    """Probabilities and backoffs of the n-grams of a part; backoffs of single words are only written."""
    part, rows = table.column("part")[0].as_py(), table.to_pylist()

    def of(kind: str) -> list[bytes]:
        return [row["data"] for row in rows if row["kind"] == kind]

    with piece_file(job.estimated) as file:
        if part < 0:
            return [(_BACKOFFS, part, at, file.add(data)) for at, data in enumerate(of(_BACKOFFS))]
        words = loaded("lm probabilities", (job.probabilities,), lambda paths: paths[0].read_bytes())
        highest = job.options.order
        shares = [of(f"{_SHARES}{order}") for order in range(2, highest + 1)]
        weights = [of(f"{_WEIGHTS}{order}") for order in range(2, highest)]
        found = _core.interpolate_ngrams(words, shares, weights)
        return [
            (f"{_ESTIMATED}{order}", part, at, file.add(piece))
            for order, own in enumerate(found, 2)
            for at, piece in enumerate(own)
        ]


def _collected(frame: DataFrame, *kinds: str) -> list[Any]:
    """The rows of some kinds in the order of parts and of their places in them."""
    from pyspark.sql import functions

    with errors_of_workers():
        rows = frame.where(functions.col("kind").isin(*kinds)).collect()
    return sorted(rows, key=lambda row: (row.part, row.origin))
