"""The steps of rule extraction that workers run: Arrow batches in, Arrow batches out, the work in the core."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphmt import _core
from graphmt.errors import GraphmtError
from graphmt.rules import ExtractOptions, extract_settings
from graphmt.spark.columns import PairColumns, in_order
from graphmt.spark.failures import WorkerError, for_workers
from graphmt.spark.piece_files import PieceFile, piece_file, read_piece
from graphmt.spark.row_numbers import Tally, numbers_of
from graphmt.spark.shared_tokens import require_announced
from graphmt.spark.worker_files import loaded
from graphmt.systems import system as system_of

if TYPE_CHECKING:
    import pyarrow

#: Symbols that a task collects before it passes them on.
MOST_SYMBOLS = 1_000_000

#: Pairs that a task writes as one piece.
PAIRS_PER_PIECE = 25_000

#: What a row of :data:`graphmt.spark.schemas.SYMBOLS` is: a symbol of a side, a piece of pairs, or about the numbers of
#: its pairs.
SOURCE, TARGET, PAIRS, NUMBERS = "source", "target", "pairs", "numbers"

#: Kinds of pieces: counted rules, linked words, target sides and their totals, scored rules, and reports as JSON.
RULES, LINKS, TARGETS, TOTALS, SCORED, REPORT = "rules", "links", "targets", "totals", "scored", "report"


class Folders(NamedTuple):
    """Where tasks write pairs, counted rules, merged rules, and scored rules with the totals of target sides."""

    pairs: str
    counted: str
    merged: str
    scored: str


@dataclasses.dataclass(frozen=True)
class Job:
    """What a worker needs to extract a system's rules."""

    system: str
    options: Mapping[str, Any]
    #: Bytes of counted rules after which a worker writes them.
    budget: int
    #: Names of the files with the words of both sides.
    words: tuple[str, str] = ("", "")
    #: Bounds of the parts of rules and of linked words.
    bounds: tuple[bytes, ...] = ()
    link_bounds: tuple[bytes, ...] = ()

    def settings(self) -> _core.ExtractSettings:
        """The core's settings."""
        return extract_settings(system_of(self.system), ExtractOptions.from_mapping(dict(self.options)))

    def needs_trees(self) -> bool:
        """Whether the system needs trees."""
        return system_of(self.system).needs_trees

    def vocabulary(self) -> _core.RuleVocabulary:
        """The vocabulary, read once in a worker process."""
        settings = self.settings()

        def read(paths: list[Path]) -> _core.RuleVocabulary:
            source, target = (path.read_bytes().decode("utf-8") for path in paths)
            return _core.RuleVocabulary(settings, source, target)

        return loaded("vocabulary", self.words, read, self.system)


def pieces(rows: list[tuple[str, int, int, bytes]]) -> pyarrow.RecordBatch:
    """Rows of :data:`graphmt.spark.schemas.PIECES`."""
    import pyarrow

    kinds, parts, origins, data = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = [
        pyarrow.array(kinds, pyarrow.string()),
        pyarrow.array(parts, pyarrow.int32()),
        pyarrow.array(origins, pyarrow.int32()),
        pyarrow.array(data, pyarrow.binary()),
    ]
    return pyarrow.RecordBatch.from_arrays(columns, ["kind", "part", "origin", "data"])


@for_workers
def find_symbols(batches: Iterator[pyarrow.RecordBatch], job: Job, folder: str) -> Iterator[pyarrow.RecordBatch]:
    """The first places of the symbols of a task. Its pairs are written to ``folder`` for :func:`count_rules`."""
    trees = job.needs_trees()
    names = ["number", "source", "target", "alignment", *(["tree"] if trees else [])]
    finder = _core.SymbolFinder(job.settings())
    kept: list[pyarrow.RecordBatch] = []
    with piece_file(folder) as file:
        for batch in batches:
            kept.append(in_order(batch.select(names)))
            found = finder.add(PairColumns.of(kept[-1], trees=trees))
            if sum(one.num_rows for one in kept) >= PAIRS_PER_PIECE:
                yield _written(file, kept)
                kept.clear()
            if found > MOST_SYMBOLS:
                yield _symbols(finder.take())
        if kept:
            yield _written(file, kept)
        yield _symbols(finder.take())


def _symbols(found: _core.FirstPlaces) -> pyarrow.RecordBatch:
    return _symbol_rows([TARGET if is_target else SOURCE for is_target in found.is_target], found.symbols, found.places)


def _written(file: PieceFile, batches: list[pyarrow.RecordBatch]) -> pyarrow.RecordBatch:
    """Write pairs; returns the rows that say where they are and how many, the highest number and their tally."""
    import pyarrow

    stream, options = pyarrow.BufferOutputStream(), pyarrow.ipc.IpcWriteOptions(compression="lz4")
    with pyarrow.ipc.new_stream(stream, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    place = file.add(stream.getvalue().to_pybytes()).decode()
    numbers = np.concatenate([numbers_of(batch) for batch in batches])
    about = Tally.of(numbers)
    told = json.dumps([place, about.digest, int(numbers.max())])
    return _symbol_rows([PAIRS, NUMBERS], [place, told], [about.rows] * 2)


@for_workers
def read_numbers(batches: Iterator[pyarrow.RecordBatch], folder: str) -> Iterator[pyarrow.RecordBatch]:
    """The numbers of the pairs that :func:`find_symbols` wrote."""
    for batch in batches:
        for place in batch.column("symbol").to_pylist():
            yield read_pairs(folder, place).select(["number"])


def _symbol_rows(kinds: list[str], symbols: list[str], places: list[int]) -> pyarrow.RecordBatch:
    import pyarrow

    columns = [
        pyarrow.array(kinds, pyarrow.string()),
        pyarrow.array(symbols, pyarrow.string()),
        pyarrow.array(places, pyarrow.int64()),
    ]
    return pyarrow.RecordBatch.from_arrays(columns, ["kind", "symbol", "place"])


def read_pairs(folder: str, place: str) -> pyarrow.RecordBatch:
    """The pairs that :func:`find_symbols` wrote at a place."""
    import pyarrow

    table = pyarrow.ipc.open_stream(read_piece(folder, place.encode())).read_all()
    return pyarrow.RecordBatch.from_struct_array(table.to_struct_array().combine_chunks())


@for_workers
def count_rules(batches: Iterator[pyarrow.RecordBatch], job: Job, folders: Folders) -> Iterator[pyarrow.RecordBatch]:
    """Counted rules and linked words of pairs, divided into parts; equal rules of a piece of pairs are added up."""
    counter = _core.RuleCounter(job.settings(), job.vocabulary(), list(job.bounds))
    trees = job.needs_trees()
    with piece_file(folders.counted) as file:

        def counted() -> pyarrow.RecordBatch:
            return pieces([(RULES, piece.part, 0, file.add(piece.data)) for piece in counter.take()])

        places = (place for batch in batches for place in batch.column("symbol").to_pylist())
        for place in places:
            if counter.add(PairColumns.of(read_pairs(folders.pairs, place), trees=trees)) > job.budget:
                yield counted()
        yield counted()
    links = _core.divide_runs([counter.links()], list(job.link_bounds))
    yield pieces([(LINKS, piece.part, 0, piece.data) for piece in links])
    report = {"pairs": counter.pairs, "too_long": counter.too_long}
    yield pieces([(REPORT, 0, 0, json.dumps(report).encode())])


def grouped(step: Callable[..., list[tuple[str, int, int, bytes]]], *args: Any) -> Callable[..., pyarrow.Table]:
    """A step on the pieces of one part, as Spark calls it."""

    def run(table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        try:
            require_announced()
            return pyarrow.Table.from_batches([pieces(step(table, *args))])
        except GraphmtError as error:
            raise WorkerError(error) from None

    return run


def _data(table: pyarrow.Table, kind: str | None = None) -> list[bytes]:
    rows = zip(table.column("kind").to_pylist(), table.column("data").to_pylist(), strict=True)
    return [data for one, data in rows if kind in (None, one)]


def merge_pieces(
    table: pyarrow.Table, job: Job, target_parts: int, folders: Folders
) -> list[tuple[str, int, int, bytes]]:
    """Merge the pieces of one kind and part. Rules and target sides are written to files."""
    kind, part = table.column("kind")[0].as_py(), table.column("part")[0].as_py()
    data = _data(table)
    if kind == REPORT:
        reports = [json.loads(one) for one in data]
        whole = {name: sum(report[name] for report in reports) for name in ("pairs", "too_long")}
        return [(REPORT, -1, 0, json.dumps(whole).encode())]
    if kind == LINKS:
        return [(LINKS, part, at, piece.data) for at, piece in enumerate(_core.divide_runs(data, []))]
    runs = [read_piece(folders.counted, place) for place in data]
    merged = _core.merge_rules(job.settings(), runs, target_parts)
    report = {
        "statistics": merged.statistics,
        "edges": [[edge.prefix.hex(), edge.total, list(edge.rules)] for edge in merged.edges],
    }
    with piece_file(folders.merged) as file:
        return [
            *((RULES, part, at, file.add(run)) for at, run in enumerate(merged.runs)),
            *((TARGETS, piece.part, part, file.add(piece.data)) for piece in merged.targets),
            (REPORT, part, 0, json.dumps(report).encode()),
        ]


def add_up_targets(table: pyarrow.Table, folders: Folders) -> list[tuple[str, int, int, bytes]]:
    """The totals of target sides, for each part of rules that has them."""
    origins = table.column("origin").to_pylist()
    totals = _core.add_up_targets([read_piece(folders.merged, place) for place in _data(table)])
    with piece_file(folders.scored) as file:
        return [(TOTALS, origin, 0, file.add(data)) for origin, data in zip(origins, totals, strict=True)]


class SharedCounts(NamedTuple):
    """What a part of a table gets from the others."""

    smoothing: str
    min_count: float
    statistics: list[int]
    targets: list[bytes]
    edges: list[tuple[bytes, int, list[int]]]


def score_part(
    table: pyarrow.Table, job: Job, links: str, shared: SharedCounts, folders: Folders
) -> list[tuple[str, int, int, bytes]]:
    """Score the rules of a part."""
    part = table.column("part")[0].as_py()
    words = job.vocabulary()

    def read(paths: list[Path]) -> _core.RuleLexicon:
        return _core.RuleLexicon(words, [paths[0].read_bytes()])

    lexicon = loaded("lexicon", (links,), read, job.system, *job.words)
    runs = [read_piece(folders.merged, place) for place in _data(table, RULES)]
    totals = [read_piece(folders.scored, place) for place in _data(table, TOTALS)]
    scored = _core.score_rules(job.settings(), lexicon, runs, shared._replace(targets=totals))
    with piece_file(folders.scored) as file:
        return [
            *((SCORED, part, at, file.add(piece)) for at, piece in enumerate(scored.pieces)),
            (REPORT, part, 0, json.dumps({"kinds": scored.kinds}).encode()),
        ]
