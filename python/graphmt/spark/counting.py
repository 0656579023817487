"""Corpus statistics on Spark: words are counted where they are, and added up by word."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphmt import _core
from graphmt.corpus.counting import CorpusStatistics, Unknown, side_statistics
from graphmt.errors import InputError
from graphmt.spark.failures import errors_of_workers, for_workers
from graphmt.spark.jobs import ROWS_PER_FILE, Stages, write_rows
from graphmt.spark.row_numbers import lost_rows
from graphmt.spark.rule_steps import MOST_SYMBOLS
from graphmt.spark.schemas import require_columns
from graphmt.spark.watching import watched
from graphmt.storage.files import AnyPath
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

#: A word with its count; or, without a word, how many sentences have a length.
_COUNTED = "word string, length int, count long"


def statistics(
    texts: DataFrame, *, unknown: DataFrame | None = None, lowercase: bool = False, work: AnyPath | None = None
) -> CorpusStatistics:
    """Count sentences, words, lengths and unknown words of one or two sides.

    The counts are those of :func:`graphmt.corpus.statistics` for the same lines.

    Parameters
    ----------
    texts
        Lines of tokens with the column ``text``; or pairs with the columns ``source`` and ``target``.
    unknown
        Other lines with the column ``text``, whose words are looked up among those of the (source) side.
    lowercase
        Count words in lower case.
    work
        A folder for intermediate results, which the driver and all executors see. Without it, a temporary folder of
        this machine.

    Returns
    -------
    CorpusStatistics
        The counts of each side, named as the columns.

    Raises
    ------
    InputError
        If a column is missing, or there are no lines.

    Examples
    --------
    >>> from graphmt import spark
    >>> session = spark.open_session("local[2]")
    >>> lines = session.createDataFrame([(0, "a b a"), (1, "c")], "number long, text string")
    >>> side = spark.statistics(lines).sides[0]
    >>> side.tokens, side.types, side.singletons
    (4, 3, 2)
    """
    if work is None:
        with temporary_folder("spark") as folder:
            return statistics(texts, unknown=unknown, lowercase=lowercase, work=folder)
    columns = ["source", "target"] if "source" in texts.columns else ["text"]
    stages = Stages(texts.sparkSession, work, {})
    counted = [_Counted.of(texts, column, stages, f"side-{place}", lowercase) for place, column in enumerate(columns)]
    if not counted[0].lengths.sum():
        raise InputError("no lines; there is nothing to count.", hint="Is the DataFrame empty?")
    found = None
    if unknown is not None:
        other = _Counted.of(unknown, "text", stages, "unknown", lowercase)
        missing = counted[0].unknown(other)
        tokens = int(other.lengths @ np.arange(len(other.lengths)))
        found = Unknown("unknown", tokens, missing.tokens, other.types, missing.types)
    sides = tuple(side_statistics(name, side) for name, side in zip(columns, counted, strict=True))
    return CorpusStatistics(sides, found, {})


class UnknownWords(NamedTuple):
    """Words of another text that are unknown: all of them, and different ones."""

    tokens: int
    types: int


class _Counted:
    """The counts of a side, added up by Spark."""

    def __init__(self, frame: DataFrame) -> None:
        from pyspark.sql import functions

        self.words = frame.where("word is not null").select("word", "count")
        with errors_of_workers():
            rows = frame.where("word is null").select("length", "count").collect()
            once = functions.sum(functions.when(functions.col("count") == 1, 1).otherwise(0))
            [about] = self.words.agg(functions.count("*").alias("types"), once.alias("singletons")).collect()
        self.types, self.singletons = int(about["types"]), int(about["singletons"] or 0)
        self.lengths: NDArray[np.int64] = np.zeros(max((row["length"] for row in rows), default=-1) + 1, np.int64)
        for row in rows:
            self.lengths[row["length"]] = row["count"]

    @classmethod
    def of(
        cls, texts: DataFrame, column: str, stages: Stages, name: str, lowercase: bool, lines: int | None = None
    ) -> _Counted:
        """Count a column; ``lines`` is how many rows it has, if that is known."""
        from pyspark.sql import functions

        rows = require_columns(texts, f"{column} string").withColumnRenamed(column, "text")

        def made() -> DataFrame:
            found = rows.mapInArrow(functools.partial(_count, lowercase=lowercase), _COUNTED)
            return found.groupBy("word", "length").agg(functions.sum("count").alias("count"))

        def check(found: DataFrame) -> None:
            [about] = found.where("word is null").agg(functions.sum("count").alias("lines")).collect()
            if lines is not None and (about.lines or 0) != lines:
                raise lost_rows("counting words", about.lines or 0, lines, stages.folder / name)

        return cls(stages.frame(name, "counting words", made, check))

    def unknown(self, other: _Counted, /) -> UnknownWords:
        """The words of another text that this one does not have."""
        from pyspark.sql import functions

        missing = other.words.join(self.words.select("word"), "word", "left_anti")
        totals = functions.sum("count").alias("tokens"), functions.count("*").alias("types")
        with errors_of_workers():
            [row] = watched(missing.sparkSession, "looking up words", missing.agg(*totals).collect)
        return UnknownWords(int(row["tokens"] or 0), int(row["types"]))


@for_workers
def _count(batches: Iterator[pyarrow.RecordBatch], lowercase: bool) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    def rows(counts: _core.Statistics) -> pyarrow.RecordBatch:
        words, numbers = counts.words()
        lengths = [(length, int(count)) for length, count in enumerate(counts.lengths) if count]
        columns = [
            pyarrow.array([*words, *(None for _ in lengths)], pyarrow.string()),
            pyarrow.array([*(None for _ in words), *(length for length, _ in lengths)], pyarrow.int32()),
            pyarrow.array([*numbers, *(count for _, count in lengths)], pyarrow.int64()),
        ]
        return pyarrow.RecordBatch.from_arrays(columns, ["word", "length", "count"])

    counts = _core.Statistics()
    for batch in batches:
        texts = [text or "" for text in batch.column("text").to_pylist()]
        if lowercase:
            texts = _core.lowercase("\n".join(texts)).split("\n")
        counts.add(texts)
        if counts.types > MOST_SYMBOLS:
            yield rows(counts)
            counts = _core.Statistics()
    yield rows(counts)


class SparkCounts:
    """Counts on Spark the lines that the driver reads; they are written as Parquet files first."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.stages = Stages(session, folder, {})
        self.stages.shared.prove()
        self.lines = self.stages.folder / "lines"
        self.lines.mkdir()
        self.waiting: list[str] = []
        self.files = self.written = 0

    def add(self, lines: Sequence[str], /) -> None:
        """Add lines."""
        self.waiting.extend(lines)
        if len(self.waiting) >= ROWS_PER_FILE:
            self._write()

    def _write(self) -> None:
        folder = self.lines / f"{self.files:06}"
        folder.mkdir()
        self.written += write_rows(folder, ("number", "text"), iter(enumerate(self.waiting)))
        self.waiting.clear()
        self.files += 1

    @functools.cached_property
    def counted(self) -> _Counted:
        """The counts of all lines."""
        if self.waiting or not self.files:
            self._write()
        texts = self.stages.read(*sorted(self.lines.iterdir()))
        return _Counted.of(texts, "text", self.stages, "counted", lowercase=False, lines=self.written)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of sentences of each length."""
        return self.counted.lengths

    @property
    def types(self) -> int:
        """The number of different words."""
        return self.counted.types

    @property
    def singletons(self) -> int:
        """The number of words that occur once."""
        return self.counted.singletons

    def unknown(self, other: SparkCounts, /) -> UnknownWords:
        """The words of another text that this one does not have."""
        return self.counted.unknown(other.counted)


def counts_in(session: SparkSession, folder: Path) -> Callable[[], Any]:
    """The argument ``new_counts`` of :func:`graphmt.corpus.statistics`; ``folder`` is for intermediate results."""
    numbers = itertools.count()
    return lambda: SparkCounts(session, folder / str(next(numbers)))
