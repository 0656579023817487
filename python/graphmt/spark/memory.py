"""Neighbours of sentences in a translation memory that is larger than one machine."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphmt import _core
from graphmt.errors import OptionError
from graphmt.spark.failures import errors_of_workers, for_workers
from graphmt.spark.parallelism import fit_partitions
from graphmt.spark.row_numbers import numbers_of
from graphmt.spark.schemas import require_columns

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

_MEMORY = "number long, source string, target string"
_SENTENCES = "number long, text string"
_FOUND = "number long, source string, similarity double, translations array<struct<text: string, probability: double>>"


def neighbours(
    memory: DataFrame, sentences: DataFrame, threshold: float, *, lowercase: bool = False, parts: int = 0
) -> DataFrame:
    """Find the sentences of a memory that are similar to given ones.

    The memory is divided by source, each part is indexed where it is, and all sentences are looked up in every part.
    The neighbours, similarities and translations are those of one index of the whole memory.

    Parameters
    ----------
    memory
        Pairs with the columns ``number``, ``source`` and ``target`` (tokens).
    sentences
        Sentences with the columns ``number`` and ``text`` (tokens). They are sent to every part, so they must fit into
        memory.
    threshold
        The lowest similarity, from 0 to 1.
    lowercase
        Compare in lower case.
    parts
        The number of parts; 0: Spark's number of shuffle partitions.

    Returns
    -------
    DataFrame
        A row for each neighbour: ``number`` of the sentence, ``source``, ``similarity``, and ``translations`` with
        their probabilities, the most probable first.

    Raises
    ------
    InputError
        If a column is missing.
    OptionError
        If the threshold is out of range.

    Examples
    --------
    >>> from graphmt import spark
    >>> session = spark.open_session("local[2]")
    >>> memory = session.createDataFrame(
    ...     [(0, "das Haus ist sehr groß .", "the house is very big .")], "number long, source string, target string"
    ... )
    >>> sentences = session.createDataFrame([(0, "das Haus ist sehr alt .")], "number long, text string")
    >>> [row.source for row in spark.neighbours(memory, sentences, 0.4).collect()]
    ['das Haus ist sehr groß .']
    """
    from pyspark.sql import functions

    if not 0 <= threshold <= 1:
        raise OptionError(f"the threshold must be from 0 to 1, not {threshold}.")
    with errors_of_workers():
        batches = require_columns(sentences, _SENTENCES).toArrow().to_batches()
        texts = itertools.chain.from_iterable(batch.column("text").to_pylist() for batch in batches)
        numbers = itertools.chain.from_iterable(numbers_of(batch).tolist() for batch in batches)
        given = [(number, text or "") for number, text in zip(numbers, texts, strict=True)]
    context = memory.sparkSession.sparkContext
    fit_partitions(memory.sparkSession)
    wanted = context.broadcast(given)
    pairs = require_columns(memory, _MEMORY)
    source = functions.lower("source") if lowercase else functions.col("source")
    # All pairs with one source are in one part, because its translations are counted there.
    key = functions.regexp_replace(functions.trim(source), r"\s+", " ")
    divided = pairs.repartition(*((parts, key) if parts else (key,))).sortWithinPartitions("number")
    step = functools.partial(_find, wanted=wanted, threshold=threshold, lowercase=lowercase)
    return divided.mapInArrow(step, _FOUND)


@for_workers
def _find(
    batches: Iterator[pyarrow.RecordBatch], wanted: object, threshold: float, lowercase: bool
) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    memory = _core.TranslationMemory(lowercase=lowercase)
    for batch in batches:
        numbers_of(batch)
        source, target = ([text or "" for text in batch.column(name).to_pylist()] for name in ("source", "target"))
        memory.add(source, target)
    if not memory.pairs:
        return
    memory.finish()
    sentences: list[tuple[int, str]] = wanted.value  # type: ignore[attr-defined]
    found = memory.neighbours([text for _, text in sentences], threshold, threads=1)
    rows = [
        {
            "number": number,
            "source": one.source,
            "similarity": one.similarity,
            "translations": [{"text": each.text, "probability": each.probability} for each in one.translations],
        }
        for (number, _), similar in zip(sentences, found, strict=True)
        for one in similar
    ]
    translation = pyarrow.struct([("text", pyarrow.string()), ("probability", pyarrow.float64())])
    columns = [
        ("number", pyarrow.int64()),
        ("source", pyarrow.string()),
        ("similarity", pyarrow.float64()),
        ("translations", pyarrow.list_(translation)),
    ]
    yield pyarrow.RecordBatch.from_pylist(rows, pyarrow.schema(columns))
