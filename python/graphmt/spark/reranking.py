"""Re-ranking of n-best lists on Spark: chunks of sentences are re-ranked where they are, as on one machine.

Only the sentences of a chunk are connected by consensus, so a chunk is the unit of work, and the choices are the same.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmt.consensus import NBestList, Outputs, Reranker, RerankOptions
from graphmt.consensus.combination import ListStream
from graphmt.consensus.preparation import PreparedMemory
from graphmt.consensus.request import DevFiles, MemoryFiles, RerankRequest, ready_to_rank
from graphmt.consensus.run import ListChunk, RankedChunk, Summary, list_chunks, summary
from graphmt.errors import GraphmtError, OptionError
from graphmt.nbest.plain_values import from_values, to_values
from graphmt.spark.failures import WorkerError, errors_of_workers, for_workers
from graphmt.spark.jobs import Stages, work_folder
from graphmt.spark.parallelism import fit_partitions
from graphmt.spark.row_numbers import numbers_of, require_distinct
from graphmt.spark.schemas import require_columns
from graphmt.spark.worker_files import folder_digest, loaded, send_folder, sent_folder
from graphmt.storage.files import AnyPath, copy_file, digest, link_or_copy, writing

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

#: N-best lists: the candidates of a sentence in their order, each with its values by name, ``score`` among them.
LISTS = "number long, source string, candidates array<struct<text:string,values:map<string,double>>>"
RANKED = "number long, rank int, place int, text string, score double"
_CHUNKS = "number long, data binary"

#: Chunks that are re-ranked, for each core, before they are written as a portion that is not repeated.
CHUNKS_PER_CORE = 20

#: In the folder that workers get: the re-ranker, and what else is needed.
_RERANKER, _REQUEST = "reranker", "request.json"


def rerank(lists: DataFrame, reranker: Reranker | AnyPath, memory: MemoryFiles | None = None) -> DataFrame:
    """Re-rank n-best lists, ``options.chunk`` sentences at a time.

    The choices are those of :func:`graphmt.consensus.rerank_files` for the same lists in the order of their numbers.

    Parameters
    ----------
    lists
        A row for each sentence: ``number`` (from 0, without gaps), ``source`` (tokens) and ``candidates``, an array of
        structs of ``text`` and ``values``, a map of names to numbers with ``score`` first.
    reranker
        A re-ranker, or where one was saved.
    memory
        The translation memory, if the re-ranker uses one. Every worker process reads it.

    Returns
    -------
    DataFrame
        A row for each candidate: ``number``, ``rank`` (from 0), ``place`` (in the given list, from 0), ``text`` and
        ``score``. Sort it by number and rank.

    Raises
    ------
    InputError
        If a column is missing, or the re-ranker cannot be read.

    Examples
    --------
    >>> from graphmt import spark
    >>> from graphmt.consensus import Reranker, RerankOptions
    >>> session = spark.open_session("local[2]")
    >>> candidates = [("a house", {"score": -1.0}), ("the house", {"score": -1.1}), ("the home", {"score": -1.1})]
    >>> lists = session.createDataFrame([(0, "das Haus", candidates)], spark.LISTS)
    >>> reranker = Reranker.untuned(("score",), RerankOptions(method="mbr-bleu"))
    >>> [row.text for row in spark.rerank(lists, reranker).orderBy("rank").collect()]
    ['the house', 'a house', 'the home']
    """
    from pyspark.sql import functions

    session = lists.sparkSession
    known = reranker if isinstance(reranker, Reranker) else Path(reranker)
    options = (known if isinstance(known, Reranker) else Reranker.load(known)).options
    sent = send_folder(session, _prepared(RerankRequest((), memory=memory or MemoryFiles()), options, known))
    rows = require_columns(lists, LISTS)
    fit_partitions(session)
    chunks = rows.groupBy(functions.expr(f"number div {options.chunk}"))

    # Spark reads the annotations of the function, which a partial one does not have.
    def rank(table: pyarrow.Table) -> pyarrow.Table:
        return _rank_rows(table, sent)

    return chunks.applyInArrow(rank, RANKED)


def _prepared(request: RerankRequest, options: RerankOptions, known: Reranker | Path) -> Path:
    """A folder with the re-ranker and the memory, for workers."""
    folder = sent_folder("rerank")
    if isinstance(known, Reranker):
        known.save(folder / _RERANKER)
    elif known.is_dir():
        for path in known.iterdir():
            if path.is_file():
                (folder / _RERANKER).mkdir(exist_ok=True)
                copy_file(path, folder / _RERANKER / path.name)
    else:
        copy_file(known, folder / _RERANKER)
    memory = request.memory
    memory = dataclasses.replace(
        memory, sources=_kept(folder, "sources", memory.sources), targets=_kept(folder, "targets", memory.targets)
    )
    dev = request.dev
    if dev is not None and dev.in_memory:
        # Workers leave the same pairs out of the memory.
        [held_out] = _kept(folder, "held-out", [dev.source])
        dev = dataclasses.replace(dev, source=held_out, lists=(), references=())
    else:
        dev = None
    wanted = {
        "memory": dataclasses.asdict(memory),
        "held_out": None if dev is None else dev.source,
        "options": options.replace(threads=1).as_dict(),
    }
    (folder / _REQUEST).write_text(json.dumps(wanted), "utf-8")
    return folder


def _kept(folder: Path, role: str, files: Sequence[AnyPath]) -> list[str]:
    """Copies of files in a folder; their names in it."""
    names = []
    for number, path in enumerate(files):
        name = f"{role}-{number}-{Path(path).name}"
        link_or_copy(Path(path), folder / name)
        names.append(name)
    return names


def _pair(values: Sequence[Any] | None) -> Any:
    return None if values is None else tuple(values)


class _Worker:
    """The re-ranker of a worker process, with its memory."""

    def __init__(self, folder: Path) -> None:
        wanted = json.loads((folder / _REQUEST).read_text("utf-8"))
        given = wanted["memory"]
        memory = MemoryFiles(
            sources=[folder / name for name in given["sources"]],
            targets=[folder / name for name in given["targets"]],
            languages=_pair(given["languages"]),
            columns=_pair(given["columns"]),
            header=given["header"],
        )
        held_out = wanted["held_out"]
        dev = None if held_out is None else DevFiles((), folder / held_out, in_memory=True)
        self.request = RerankRequest((), memory=memory, dev=dev)
        options = RerankOptions.from_mapping(wanted["options"], file=str(folder / _REQUEST))
        self.ready: PreparedMemory
        self.ready, self.known = ready_to_rank(self.request, folder / _RERANKER, options)

    @classmethod
    def opened(cls, sent: str) -> _Worker:
        return loaded("reranker", (sent,), lambda paths: cls(paths[0]))

    def rank(self, chunk: ListChunk) -> tuple[Any, Any]:
        candidates = chunk.candidates(self.ready.memory, self.known.options)
        return candidates, self.known.rank(candidates)


def _rank_rows(table: pyarrow.Table, sent: str) -> pyarrow.Table:
    import pyarrow

    try:
        numbers = numbers_of(table)
        require_distinct(numbers)
        rows = table.sort_by("number").to_pylist()
        lists = [
            NBestList.of(row["number"], [(one["text"], dict(one["values"])) for one in row["candidates"]])
            for row in rows
        ]
        candidates, ranked = _Worker.opened(sent).rank(ListChunk([row["source"] or "" for row in rows], lists))
    except GraphmtError as error:
        raise WorkerError(error) from None
    orders, scores = ranked.orders(candidates), ranked.scores.tolist()
    found = [
        (one.number, rank, place, one.texts[place], scores[start + place])
        for start, one, order in zip(candidates.starts.tolist(), lists, orders, strict=False)
        for rank, place in enumerate(order)
    ]
    kinds = [pyarrow.int64(), pyarrow.int32(), pyarrow.int32(), pyarrow.string(), pyarrow.float64()]
    columns = zip(*found, strict=True) if found else ((),) * len(kinds)
    arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return pyarrow.Table.from_arrays(arrays, [column.split()[0] for column in RANKED.split(", ")])


def rerank_on_spark(session: SparkSession, request: RerankRequest, lists: ListStream, known: Reranker) -> Summary:
    """Re-rank the lists of a request; the driver reads them and writes the output in order."""
    given = {
        "--explain": request.outputs.explain,
        "--report": request.report,
        "--vectors": request.vectors.source,
    }
    if absent := [name for name, value in given.items() if value is not None]:
        raise OptionError(f"{absent[0]} does not work with the Spark engine.", hint="Leave out --engine.")
    prepared = _prepared(request, known.options, known)
    sent = send_folder(session, prepared)
    files = [*request.lists, *([] if request.source is None else [request.source])]
    # Standard input cannot be read again.
    out = "-" if "-" in map(str, files) else request.outputs.out
    with work_folder(out) as folder:

        def rows() -> Iterator[tuple[int, bytes]]:
            for number, chunk in enumerate(list_chunks(lists, request.source, known.options)):
                values = [chunk.sources, [to_values(one) for one in chunk.lists]]
                yield number, json.dumps(values).encode()

        contents: dict[str, Any] = {
            "files": [] if out == "-" else [digest(path) for path in files],
            "format": [request.format, request.list_size],
            "chunk": known.options.chunk,
            "outputs": repr(request.outputs),
        }
        chunks = Stages(session, folder, contents).table(
            "lists", ("number", "data"), rows, binary=True, rows_per_file=1
        )
        asked = {**contents, "reranker": folder_digest(prepared)}

        def made(portion: DataFrame) -> DataFrame:
            return portion.mapInArrow(functools.partial(_rank_chunks, sent=sent, outputs=request.outputs), _CHUNKS)

        stages = Stages(session, folder / "ranked", asked)
        ranked = stages.portions("ranked", "re-ranking", chunks, CHUNKS_PER_CORE, made).orderBy("number")
        with writing(request.outputs.out) as stream, errors_of_workers():
            found = (RankedChunk(*json.loads(row.data)) for row in ranked.toLocalIterator(prefetchPartitions=True))
            return summary(found, known.options, stream)


@for_workers
def _rank_chunks(batches: Iterator[pyarrow.RecordBatch], sent: str, outputs: Outputs) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    for batch in batches:
        worker = _Worker.opened(sent)
        for number, data in zip(batch.column("number").to_pylist(), batch.column("data").to_pylist(), strict=True):
            sources, lists = json.loads(data)
            candidates, ranked = worker.rank(ListChunk(sources, [from_values(one) for one in lists]))
            lines = json.dumps(RankedChunk.of(candidates, ranked, outputs)).encode()
            columns = [pyarrow.array([number], pyarrow.int64()), pyarrow.array([lines], pyarrow.binary())]
            yield pyarrow.RecordBatch.from_arrays(columns, ["number", "data"])
