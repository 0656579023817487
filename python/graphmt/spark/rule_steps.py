"""The steps of rule extraction that workers run: Arrow batches in, Arrow batches out, the work in the core."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from graphmt import _core
from graphmt.errors import GraphmtError
from graphmt.rules import ExtractOptions, extract_settings
from graphmt.spark.failures import WorkerError, for_workers
from graphmt.spark.piece_files import piece_file, read_piece
from graphmt.spark.worker_files import loaded
from graphmt.systems import system as system_of

if TYPE_CHECKING:
    import pyarrow

_K = TypeVar("_K")

#: Symbols that a task collects before it passes them on.
MOST_SYMBOLS = 1_000_000

#: Kinds of pieces: counted rules, linked words, target sides and their totals, scored rules, and reports as JSON.
RULES, LINKS, TARGETS, TOTALS, SCORED, REPORT = "rules", "links", "targets", "totals", "scored", "report"


@dataclasses.dataclass(frozen=True)
class Job:
    """What a worker needs to extract a system's rules."""

    system: str
    options: Mapping[str, Any]
    #: Bytes of counted rules after which a worker passes them on.
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


class PairColumns(NamedTuple):
    """Sentence pairs as the core reads them."""

    numbers: list[int]
    source: list[str]
    target: list[str]
    alignment: list[str]
    trees: list[str]

    @classmethod
    def of(cls, batch: pyarrow.RecordBatch, *, trees: bool) -> PairColumns:
        """The columns of a batch, in the order of the pairs' numbers."""
        if batch.num_rows > 1:
            batch = batch.sort_by("number")

        def texts(name: str) -> list[str]:
            return [text or "" for text in batch.column(name).to_pylist()]

        return cls(
            batch.column("number").to_pylist(),
            texts("source"),
            texts("target"),
            texts("alignment"),
            texts("tree") if trees else [],
        )


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
def find_symbols(batches: Iterator[pyarrow.RecordBatch], job: Job) -> Iterator[pyarrow.RecordBatch]:
    """The first places of the symbols of a task."""
    import pyarrow

    settings, trees = job.settings(), job.needs_trees()

    def rows(first: dict[tuple[bool, str], int]) -> pyarrow.RecordBatch:
        columns = [
            pyarrow.array([is_target for is_target, _ in first], pyarrow.bool_()),
            pyarrow.array([symbol for _, symbol in first], pyarrow.string()),
            pyarrow.array(first.values(), pyarrow.int64()),
        ]
        return pyarrow.RecordBatch.from_arrays(columns, ["is_target", "symbol", "place"])

    first: dict[tuple[bool, str], int] = {}
    for batch in batches:
        found = _core.rule_symbols(settings, PairColumns.of(batch, trees=trees))
        keep_first(first, zip(found.is_target, found.symbols, strict=True), found.places)
        if len(first) > MOST_SYMBOLS:
            yield rows(first)
            first.clear()
    yield rows(first)


def keep_first(first: dict[_K, int], symbols: Iterable[_K], places: Iterable[int]) -> None:
    """Keep the first place of each symbol."""
    for symbol, place in zip(symbols, places, strict=True):
        if place < first.get(symbol, place + 1):
            first[symbol] = place


@for_workers
def count_rules(batches: Iterator[pyarrow.RecordBatch], job: Job) -> Iterator[pyarrow.RecordBatch]:
    """Counted rules and linked words, divided into parts; equal ones of a task are added up first."""
    counter = _core.RuleCounter(job.settings(), job.vocabulary(), list(job.bounds))
    trees = job.needs_trees()
    for batch in batches:
        if counter.add(PairColumns.of(batch, trees=trees)) > job.budget:
            yield from _one_by_one(RULES, counter.take())
    yield from _one_by_one(RULES, counter.take())
    yield from _one_by_one(LINKS, _core.divide_runs([counter.links()], list(job.link_bounds)))
    report = {"pairs": counter.pairs, "too_long": counter.too_long}
    yield pieces([(REPORT, 0, 0, json.dumps(report).encode())])


def _one_by_one(kind: str, made: list[_core.Piece]) -> Iterator[pyarrow.RecordBatch]:
    for piece in made:
        yield pieces([(kind, piece.part, 0, piece.data)])


def grouped(step: Callable[..., list[tuple[str, int, int, bytes]]], *args: Any) -> Callable[..., pyarrow.Table]:
    """A step on the pieces of one part, as Spark calls it."""

    def run(table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        try:
            return pyarrow.Table.from_batches([pieces(step(table, *args))])
        except GraphmtError as error:
            raise WorkerError(error) from None

    return run


def _data(table: pyarrow.Table, kind: str | None = None) -> list[bytes]:
    rows = zip(table.column("kind").to_pylist(), table.column("data").to_pylist(), strict=True)
    return [data for one, data in rows if kind in (None, one)]


def merge_pieces(table: pyarrow.Table, job: Job, target_parts: int, folder: str) -> list[tuple[str, int, int, bytes]]:
    """Merge the pieces of one kind and part. Rules and target sides are written to ``folder``."""
    kind, part = table.column("kind")[0].as_py(), table.column("part")[0].as_py()
    data = _data(table)
    if kind == REPORT:
        reports = [json.loads(one) for one in data]
        whole = {name: sum(report[name] for report in reports) for name in ("pairs", "too_long")}
        return [(REPORT, -1, 0, json.dumps(whole).encode())]
    if kind == LINKS:
        return [(LINKS, part, at, piece.data) for at, piece in enumerate(_core.divide_runs(data, []))]
    merged = _core.merge_rules(job.settings(), data, target_parts)
    report = {
        "statistics": merged.statistics,
        "edges": [[edge.prefix.hex(), edge.total, list(edge.rules)] for edge in merged.edges],
    }
    with piece_file(folder) as file:
        return [
            *((RULES, part, at, file.add(run)) for at, run in enumerate(merged.runs)),
            *((TARGETS, piece.part, part, file.add(piece.data)) for piece in merged.targets),
            (REPORT, part, 0, json.dumps(report).encode()),
        ]


def add_up_targets(table: pyarrow.Table, folder: str) -> list[tuple[str, int, int, bytes]]:
    """The totals of target sides, for each part of rules that has them."""
    origins = table.column("origin").to_pylist()
    totals = _core.add_up_targets([read_piece(folder, place) for place in _data(table)])
    return [(TOTALS, origin, 0, data) for origin, data in zip(origins, totals, strict=True)]


class SharedCounts(NamedTuple):
    """What a part of a table gets from the others."""

    smoothing: str
    min_count: float
    statistics: list[int]
    targets: list[bytes]
    edges: list[tuple[bytes, int, list[int]]]


class Folders(NamedTuple):
    """Where merged rules are, and where scored ones go."""

    merged: str
    scored: str


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
    scored = _core.score_rules(job.settings(), lexicon, runs, shared._replace(targets=_data(table, TOTALS)))
    with piece_file(folders.scored) as file:
        return [
            *((SCORED, part, at, file.add(piece)) for at, piece in enumerate(scored.pieces)),
            (REPORT, part, 0, json.dumps({"kinds": scored.kinds}).encode()),
        ]
