"""Cleaning of parallel corpora on Spark, with the reasons of one machine."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from graphmt import _core
from graphmt.corpus.cleaning import EXAMPLES, REASONS, CleanOptions, CleanReport, PairTexts
from graphmt.errors import InputError
from graphmt.spark.failures import errors_of_workers, for_workers, raising
from graphmt.spark.jobs import Stages, work_folder
from graphmt.spark.parallelism import fit_partitions
from graphmt.spark.row_numbers import Tally, numbers_of, repeated, require_all, tally
from graphmt.spark.schemas import require_columns
from graphmt.storage.files import AnyPath

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

_TEXTS = "number long, source string, target string, faulty string"
#: The value of ``faulty`` for pairs with a bad tree.
_FAULTY = "bad tree"
_DUPLICATE = "duplicate"


def clean(pairs: DataFrame, options: CleanOptions | Mapping[str, Any] | None = None) -> DataFrame:
    """Say of every sentence pair whether to keep it, and if not, why.

    The reasons are those of :func:`graphmt.corpus.clean` on the same pairs in the order of their numbers: the first of
    equal pairs is kept.

    Parameters
    ----------
    pairs
        Sentence pairs with the columns ``number``, ``source`` and ``target``, and if there is a column ``faulty``, text
        in it for pairs with a bad tree, which are dropped. More columns are kept.
    options
        Which pairs to keep.

    Returns
    -------
    DataFrame
        The pairs with a column ``reason``: ``kept``, or why the pair is to be dropped.

    Raises
    ------
    InputError
        If a column is missing.

    Examples
    --------
    >>> from graphmt import spark
    >>> session = spark.open_session("local[2]")
    >>> rows = [(0, "ja", "yes"), (1, "ja", "yes"), (2, "", "no")]
    >>> pairs = session.createDataFrame(rows, "number long, source string, target string")
    >>> [row.reason for row in spark.clean(pairs).orderBy("number").collect()]
    ['kept', 'duplicate', 'empty side']
    """
    from pyspark.sql import Window, functions

    options = CleanOptions.of(options)
    texts = require_columns(pairs, _TEXTS, optional=("faulty",))
    step = functools.partial(_classify, options=options)
    found = texts.mapInArrow(step, "number long, reason string, hash binary")
    fit_partitions(pairs.sparkSession)
    if options.duplicates != "keep":
        # Spark groups by hash only what is kept otherwise, as on one machine.
        same = Window.partitionBy("hash").orderBy("number")
        repeated = (functions.col("reason") == REASONS[0]) & (functions.row_number().over(same) > 1)
        reason = functions.when(repeated, _DUPLICATE).otherwise(functions.col("reason"))
        found = found.withColumn("reason", reason)
    return pairs.join(_once(found.select("number", "reason")), "number")


def _once(found: DataFrame) -> DataFrame:
    """The reasons, with an error instead of one where a number is there twice: the join would multiply its rows."""
    from pyspark.sql import Window, functions

    # The join needs the rows of a number together, too.
    times = functions.count("*").over(Window.partitionBy("number"))
    error = raising(repeated("{number}", "{times}"), number=functions.col("number"), times=times)
    return found.withColumn("reason", functions.when(times > 1, error).otherwise(functions.col("reason")))


def report(cleaned: DataFrame, options: CleanOptions | Mapping[str, Any] | None = None) -> CleanReport:
    """Count the pairs that :func:`clean` keeps, and those to drop by reason.

    Parameters
    ----------
    cleaned
        The DataFrame that :func:`clean` returned.
    options
        The options it was called with, for the report.

    Returns
    -------
    CleanReport
        The report of one machine.

    Raises
    ------
    InputError
        If there are no pairs.

    Examples
    --------
    >>> from graphmt import spark
    >>> session = spark.open_session("local[2]")
    >>> columns = "number long, source string, target string"
    >>> pairs = session.createDataFrame([(0, "ja", "yes"), (1, "ja", "yes")], columns)
    >>> spark.report(spark.clean(pairs)).dropped
    {'duplicate': 1}
    """
    from pyspark.sql import Window, functions

    in_order = functions.row_number().over(Window.partitionBy("reason").orderBy("number"))
    with errors_of_workers():
        counted = cleaned.groupBy("reason").agg(functions.count("*").alias("pairs"))
        numbers = {row.reason: row.pairs for row in counted.collect()}
        dropped = cleaned.where(functions.col("reason") != REASONS[0])
        first = dropped.withColumn("place", in_order).where(functions.col("place") <= EXAMPLES)
        examples: dict[str, list[int]] = {}
        for row in sorted(first.select("number", "reason").collect()):
            examples.setdefault(row.reason, []).append(row.number)
    if not numbers:
        raise InputError("no sentence pairs; there is nothing to clean.")
    names = [name for name in REASONS[1:] if name in numbers]
    return CleanReport(
        sum(numbers.values()),
        numbers.get(REASONS[0], 0),
        {name: numbers[name] for name in names},
        {name: [number + 1 for number in examples[name]] for name in names},
        CleanOptions.of(options),
    )


def reasons_on_spark(
    session: SparkSession,
    out: AnyPath,
    request: dict[str, Any],
    read: Callable[[], Iterator[PairTexts]],
    options: CleanOptions,
) -> Iterator[int]:
    """The argument ``find_reasons`` of :func:`graphmt.corpus.clean`, after an output and what determines the pairs.

    A repeated call for the same output resumes.
    """

    def rows() -> Iterator[tuple[int, str, str, str | None]]:
        number = 0
        for texts in read():
            faulty = set(texts.faulty)
            for place, (source, target) in enumerate(zip(texts.source, texts.target, strict=True)):
                yield number, source, target, _FAULTY if place in faulty else None
                number += 1

    numbers = {name: number for number, name in enumerate(REASONS)}
    with work_folder(out) as folder:
        stages = Stages(session, folder, {"clean": options.as_dict(), **request})
        pairs = stages.table("pairs", ("number", "source", "target", "faulty"), rows)
        given = Tally.of_first(stages.rows["pairs"])
        found = stages.frame(
            "reasons",
            "cleaning",
            lambda: clean(pairs, options).select("number", "reason"),
            lambda rows: require_all(given, tally(rows), "cleaning", stages.folder / "reasons"),
        )
        with errors_of_workers():
            for row in found.orderBy("number").toLocalIterator(prefetchPartitions=True):
                yield numbers[row.reason]


@for_workers
def _classify(batches: Iterator[pyarrow.RecordBatch], options: CleanOptions) -> Iterator[pyarrow.RecordBatch]:
    """The reason for each pair apart from duplicates, and a hash of what must not be repeated; unique if dropped."""
    import pyarrow

    pair_filter = _core.PairFilter(options.replace(duplicates="keep"))
    for batch in batches:
        numbers = numbers_of(batch).tolist()
        source, target = ([text or "" for text in batch.column(name).to_pylist()] for name in ("source", "target"))
        faulty = [place for place, mark in enumerate(batch.column("faulty").to_pylist()) if mark is not None]
        reasons = [REASONS[number] for number in pair_filter.reasons(source, target, faulty)]
        others = [""] * len(target) if options.duplicates == "sources" else target
        hashes = []
        for number, reason, one, other in zip(numbers, reasons, source, others, strict=True):
            key = "\t".join(" ".join(text.split()) for text in (one, other)) if reason == REASONS[0] else f"\n{number}"
            hashes.append(hashlib.blake2b(key.encode("utf-8"), digest_size=16).digest())
        columns = [
            pyarrow.array(numbers, pyarrow.int64()),
            pyarrow.array(reasons, pyarrow.string()),
            pyarrow.array(hashes, pyarrow.binary()),
        ]
        yield pyarrow.RecordBatch.from_arrays(columns, ["number", "reason", "hash"])
