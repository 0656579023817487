"""Word alignment on Spark: the driver trains a model on a sample, workers apply it to all pairs.

The links are those of one machine with the same options.
"""

from __future__ import annotations

import functools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmt.align import AlignOptions, TrainedAligner, train_aligner
from graphmt.align.step import Outputs, WrittenLinks, align_files
from graphmt.errors import InputError, OptionError
from graphmt.spark.failures import errors_of_workers, for_workers
from graphmt.spark.jobs import Stages
from graphmt.spark.parallelism import fit_partitions
from graphmt.spark.places import local_folder
from graphmt.spark.reading import sentence_pairs
from graphmt.spark.row_numbers import Tally, checked_tally, numbers_of, require_all, require_written, tally
from graphmt.spark.schemas import require_columns
from graphmt.spark.watching import watched
from graphmt.spark.worker_files import loaded, send_folder, sent_folder
from graphmt.storage.files import AnyPath, digest, writing

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

_TEXTS = "number long, source string, target string"
_ADDED = {"alignment": "string", "unaligned": "string"}

#: Why a pair has no links.
EMPTY, TOO_LONG = "empty side", "too long"


def align(
    pairs: DataFrame,
    options: AlignOptions,
    *,
    work: AnyPath | None = None,
    request: dict[str, Any] | None = None,
) -> DataFrame:
    """Align sentence pairs word by word, with a model that the driver trains on a sample.

    The links are those of :func:`graphmt.align.align` with the same options on the same pairs in the order of their
    numbers.

    Parameters
    ----------
    pairs
        Sentence pairs with the columns ``number`` (from 0, without gaps), ``source`` and ``target`` (tokens). More
        columns are kept.
    options
        The model and its settings, with the size of the sample.
    work
        A folder for the trained model; a repeated call uses the model that is there. Without it, a temporary folder.
    request
        What determines the pairs, for resuming, such as digests of files.

    Returns
    -------
    DataFrame
        The pairs with two more columns: ``alignment`` (``0-0 1-2``), and ``unaligned``, which says why a pair has no
        links: ``empty side``, ``too long``, or null.

    Raises
    ------
    InputError
        If a column is missing, or no pair of the sample can be used.
    OptionError
        If the options have no sample, or the model cannot be trained on one.

    Examples
    --------
    >>> from graphmt import spark
    >>> from graphmt.align import AlignOptions
    >>> session = spark.open_session("local[2]")
    >>> rows = [(0, "das Haus", "the house"), (1, "das Buch", "the book")]
    >>> pairs = session.createDataFrame(rows, "number long, source string, target string")
    >>> aligned = spark.align(pairs, AlignOptions(model="ibm1", sample=2))
    >>> [row.alignment for row in aligned.orderBy("number").collect()]
    ['1-1', '1-1']
    """
    if not options.sample:
        raise OptionError(
            "the Spark engine aligns with a model trained on a sample, whose size is not given.",
            hint="For example sample=1000000 (--sample 1000000); or align on one machine.",
        )
    require_columns(pairs, _TEXTS)
    plain = {name: value for name, value in options.as_dict().items() if name != "threads"}
    folder = local_folder(work) if work is not None else sent_folder("aligner")
    stages = Stages(pairs.sparkSession, folder, {"align": plain, **(request or {})})
    model = folder / "aligner"
    stages.steps.run(
        "aligner", stages.request, [model / "aligner.json"], functools.partial(_train, pairs, options, model)
    )
    kept = [f"`{name}` {kind}" for name, kind in pairs.dtypes if name not in _ADDED]
    schema = ", ".join([*kept, *(f"{name} {kind}" for name, kind in _ADDED.items())])
    step = functools.partial(_align, model=send_folder(stages.session, model))
    return pairs.drop(*_ADDED).mapInArrow(step, schema)


def _train(pairs: DataFrame, options: AlignOptions, out: Path) -> dict[str, Any]:
    """Train on the pairs that one machine would choose."""
    from pyspark.sql import functions

    session = pairs.sparkSession
    count = watched(session, "counting pairs", lambda: checked_tally(pairs)).rows
    number = functions.col("number")
    chosen = pairs.select("number", "source", "target")
    if options.sample < count:
        place = functions.expr(f"((number + 1) * {options.sample}) div {count}")
        before = functions.expr(f"(number * {options.sample}) div {count}")
        chosen = chosen.where(place != before)
    fit_partitions(session)
    rows = watched(session, "sampling", chosen.orderBy(number).toArrow)
    if not rows.num_rows:
        raise InputError("no sentence pairs.", hint="Is the DataFrame empty?")
    source, target = ([text or "" for text in rows.column(name).to_pylist()] for name in ("source", "target"))
    train_aligner(source, target, out, options, overwrite=True)
    return {"pairs": count}


@for_workers
def _align(batches: Iterator[pyarrow.RecordBatch], model: str) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    aligner: TrainedAligner | None = None
    for batch in batches:
        numbers_of(batch)
        aligner = aligner or loaded("aligner", (model,), lambda paths: TrainedAligner(paths[0]))
        source, target = ([text or "" for text in batch.column(name).to_pylist()] for name in ("source", "target"))
        encoded = aligner.encode(source, target)
        links = aligner.align_encoded(encoded).alignment.text().split("\n")[:-1]
        marks = zip(encoded.empty.tolist(), encoded.too_long.tolist(), strict=True)
        reasons = [EMPTY if empty else TOO_LONG if too_long else None for empty, too_long in marks]
        columns = {name: batch.column(name) for name in batch.schema.names}
        columns["alignment"] = pyarrow.array(links, pyarrow.string())
        columns["unaligned"] = pyarrow.array(reasons, pyarrow.string())
        yield pyarrow.RecordBatch.from_arrays(list(columns.values()), list(columns))


def write_links(
    session: SparkSession, work: Path, source: AnyPath, target: AnyPath, out: Path, options: AlignOptions
) -> WrittenLinks:
    """Align two files of the driver and write the links."""
    request = {"source": digest(source), "target": digest(target)}
    corpus = Stages(session, work / "corpus", request)
    pairs = sentence_pairs(corpus, source, target)
    given = Tally.of_first(corpus.rows["pairs"])
    plain = {name: value for name, value in options.as_dict().items() if name != "threads"}
    stages = Stages(session, work, {"align": plain, **request})
    # The trained aligner is a stage of its own, which is made first.
    aligned = align(pairs, options, work=work / "model", request=request)
    found = stages.frame(
        "links",
        "aligning",
        lambda: aligned.select("number", "alignment", "unaligned"),
        lambda rows: require_all(given, tally(rows), "aligning", stages.folder / "links"),
    )
    longest = TrainedAligner(work / "model" / "aligner").longest
    written = links = empty = too_long = 0
    with writing(out) as stream, errors_of_workers():
        for row in found.orderBy("number").toLocalIterator(prefetchPartitions=True):
            stream.write(f"{row.alignment}\n")
            written += 1
            links += row.alignment.count("-")
            empty += row.unaligned == EMPTY
            too_long += row.unaligned == TOO_LONG
        require_written(written, given.rows, out)
    return WrittenLinks(written, links, empty, too_long, longest)


def align_files_on_spark(
    session: SparkSession, source: AnyPath, target: AnyPath, outputs: Outputs, options: AlignOptions, *, overwrite: bool
) -> dict[str, Any] | None:
    """As :func:`graphmt.align.step.align_files`; stages are kept next to the output until it is whole."""
    if not options.sample:
        raise OptionError(
            "the Spark engine aligns with a model trained on a sample, whose size is not given.",
            hint="For example --sample 1000000; or align on one machine.",
        )
    if outputs.is_stream:
        raise OptionError("the Spark engine writes links to a file.", hint="Give --out FILE.")
    work = outputs.alignment.with_name(outputs.alignment.name + ".working")
    write = functools.partial(write_links, session, work)
    record = align_files(source, target, outputs, options, overwrite=overwrite, write=write)
    shutil.rmtree(work, ignore_errors=True)
    return record
