"""Rule extraction and scoring on Spark, with the table of one machine as the result.

1. *symbols*: the first place of every word gives the vocabularies, numbered as on one machine; pairs go into files;
2. *merged*: tasks count the rules of these pairs, which are divided into ranges of equal size and merged;
3. *scored*: the parts exchange the totals of target sides and the counts of source sides at their borders, and score;
4. the driver puts the parts together.

The ranges may begin and end within a source side, so that frequent words do not make one task the bottleneck.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmt import _core
from graphmt.errors import InputError, OptionError
from graphmt.rules import ExtractOptions, ExtractReport
from graphmt.spark import rule_steps as steps
from graphmt.spark.columns import PairColumns
from graphmt.spark.failures import errors_of_workers
from graphmt.spark.jobs import Stages
from graphmt.spark.parallelism import cores
from graphmt.spark.piece_files import read_piece
from graphmt.spark.row_numbers import Tally, is_gapless, lost_rows, require_no_repeats
from graphmt.spark.rule_steps import Job, SharedCounts
from graphmt.spark.schemas import PAIRS, PIECES, SYMBOLS, require_columns
from graphmt.spark.worker_files import send_file
from graphmt.storage.files import AnyPath, make_folder, writing_bytes
from graphmt.storage.temporary import temporary_folder
from graphmt.systems import System
from graphmt.systems import system as system_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Pairs that the bounds of parts are chosen from: so many, and more if there are many parts; and the most pieces of
#: pairs that the driver reads for them.
SAMPLE, SAMPLE_PER_PART, SAMPLED_PIECES = 5_000, 20, 200

#: Pairs whose rules a task counts, if there are enough for all cores.
PAIRS_PER_TASK = 100_000

#: Pairs whose rules make up one part, about 200 MB of counted rules.
PAIRS_PER_PART = 50_000

#: Bytes of counted rules that a task holds before it writes them.
BUDGET = 256 << 20

#: The length of a record in a run of linked words, and where its key is.
_LINK, _LINK_KEY = 14, slice(6, 14)


def extract_rules(
    pairs: DataFrame,
    system: str | System,
    out: AnyPath,
    *,
    options: ExtractOptions | Mapping[str, Any] | None = None,
    parts: int = 0,
    work: AnyPath | None = None,
    request: dict[str, Any] | None = None,
) -> ExtractReport:
    """Extract and score a system's rules from aligned pairs, and write the table whole or not at all.

    The table is the same, byte for byte, as that of :func:`graphmt.rules.extract_rules` from the same pairs, for any
    number of partitions, parts and executors.

    Parameters
    ----------
    pairs
        Sentence pairs with the columns ``number`` (from 0, without gaps), ``source``, ``target`` (tokens),
        ``alignment`` (links) and, for systems that need trees, ``tree`` (CoNLL-U).
    system
        The system or its name.
    out
        The rule table to write, by the driver.
    options
        Limits and smoothing. Threads and memory are those of Spark.
    parts
        The number of parts of the table; 0: from the number of pairs and of cores.
    work
        A folder for intermediate results, which the driver and all executors see; a repeated call resumes from the
        stages that are whole in it. Without it, a temporary folder of this machine.
    request
        What determines the pairs, for resuming, such as digests of files.

    Returns
    -------
    ExtractReport
        Counts of pairs and rules.

    Raises
    ------
    InputError
        If a column is missing, or a pair is malformed.

    Examples
    --------
    >>> from graphmt import spark
    >>> session = spark.open_session("local[2]")
    >>> pairs = session.createDataFrame(
    ...     [(0, "das Haus", "the house", "0-0 1-1")], "number long, source string, target string, alignment string"
    ... )
    >>> spark.extract_rules(pairs, "pbmt", "spark.bin").rules
    3
    """
    chosen = system if isinstance(system, System) else system_of(system)
    options = ExtractOptions.of(options)
    if parts < 0:
        raise OptionError(f"parts must be at least 0, not {parts}.")
    if work is None:
        with temporary_folder("spark") as folder:
            return extract_rules(pairs, chosen, out, options=options, parts=parts, work=folder, request=request)
    return _Extraction(pairs, chosen, options, parts, work, request or {}).write(out)


class _Extraction:
    """One run of extraction."""

    def __init__(
        self,
        pairs: DataFrame,
        system: System,
        options: ExtractOptions,
        parts: int,
        work: AnyPath,
        request: dict[str, Any],
    ) -> None:
        columns = PAIRS if system.needs_trees else PAIRS.removesuffix(", tree string")
        self.session: SparkSession = pairs.sparkSession
        self.pairs = require_columns(pairs, columns)
        self.options = options
        plain = {name: value for name, value in options.as_dict().items() if name not in ("threads", "max_memory")}
        self.job = Job(system.name, plain, BUDGET)
        self.stages = Stages(self.session, work, {"system": system.name, "extract": plain, **request})
        self.wanted_parts = parts
        self.folders = steps.Folders(*map(self.stages.pieces, ("symbols", "counted", "merged", "scored")))

    def write(self, out: AnyPath) -> ExtractReport:
        words = source, target = self.vocabulary()
        sent = send_file(self.session, source), send_file(self.session, target)
        self.job = self._with_bounds(dataclasses.replace(self.job, words=sent))
        merged = self.merged()
        reports = self._reports(merged)
        links = self.links(merged)
        scored = self.scored(merged, send_file(self.session, links), _shared(self.options, reports))
        return self.assembled(scored, words, reports[-1], out)

    def vocabulary(self) -> tuple[Path, Path]:
        """The words of both sides in the order of their numbers, a file each."""
        from pyspark.sql import functions

        job = self.job

        def found() -> DataFrame:
            find = functools.partial(steps.find_symbols, job=job, folder=self.folders.pairs)
            return (
                self.pairs.mapInArrow(find, SYMBOLS)
                .groupBy("kind", "symbol")
                .agg(functions.min("place").alias("place"))
            )

        self.symbols = self.stages.frame("symbols", "finding words", found, self._check_numbers)

        def write(source: Path) -> None:
            rows = self.symbols.where(functions.col("kind").isin(steps.SOURCE, steps.TARGET)).orderBy("place")
            with writing_bytes(source) as first, writing_bytes(target) as second, errors_of_workers():
                for row in rows.toLocalIterator(prefetchPartitions=True):
                    (second if row.kind == steps.TARGET else first).write(row.symbol.encode("utf-8") + b"\n")

        target = self.stages.folder / "target.words"
        return self.stages.file("source.words", write, target), target

    def _check_numbers(self, symbols: DataFrame) -> None:
        """Reject pairs of the same number."""
        from pyspark.sql import functions

        rows = symbols.where(functions.col("kind") == steps.NUMBERS).collect()
        about = [(row.place, *json.loads(row.symbol)[1:]) for row in rows]
        found = functools.reduce(Tally.joined, (Tally(count, digest) for count, digest, _ in about), Tally())
        if not is_gapless(found, max((highest for *_, highest in about), default=None)):
            read = functools.partial(steps.read_numbers, folder=self.folders.pairs)
            pieces = symbols.where(functions.col("kind") == steps.PAIRS).repartition(2 * cores(self.session))
            require_no_repeats(pieces.mapInArrow(read, "number long"))

    def _with_bounds(self, job: Job) -> Job:
        """The job with bounds of the parts, chosen from a sample of the pairs.

        They are recorded, because the parts of a resumed run must be the same.
        """
        path = self.stages.file("bounds.json", functools.partial(self._choose_bounds, job))
        known = json.loads(path.read_text("utf-8"))
        self.parts, self.tasks = len(known["rules"]) + 1, known["tasks"]
        rules, links = (tuple(bytes.fromhex(bound) for bound in known[kind]) for kind in ("rules", "links"))
        return dataclasses.replace(job, bounds=rules, link_bounds=links)

    def _choose_bounds(self, job: Job, path: Path) -> None:
        with errors_of_workers():
            places = self._written_pairs().collect()
        count = sum(row.place for row in places)
        if count == 0:
            raise InputError("no sentence pairs.", hint="Is the DataFrame empty?")
        at_once = cores(self.session)
        parts = self.wanted_parts or max(2 * at_once, -(-count // PAIRS_PER_PART))
        read = places[:: -(-len(places) // SAMPLED_PIECES)]
        every = max(1, sum(row.place for row in read) // max(SAMPLE, SAMPLE_PER_PART * parts))
        counter = _core.RuleCounter(job.settings(), job.vocabulary(), [])
        for row in read:
            pairs = steps.read_pairs(self.folders.pairs, row.symbol)
            chosen = pairs.take(list(range(every // 2 % pairs.num_rows, pairs.num_rows, every)))
            counter.add(PairColumns.of(chosen, trees=job.needs_trees()))
        run = counter.links()
        numbers = range(len(run) // _LINK)
        ends = [numbers[len(numbers) * part // parts] * _LINK for part in range(1, parts)] if numbers else []
        links = [run[at : at + _LINK][_LINK_KEY] for at in ends]
        bounds = {
            "tasks": max(2 * at_once, -(-count // PAIRS_PER_TASK)),
            "rules": [bound.hex() for bound in counter.suggest_bounds(parts)],
            "links": [bound.hex() for bound in dict.fromkeys(links)],
        }
        with writing_bytes(path) as stream:
            stream.write(json.dumps(bounds).encode())

    def pairs_written(self) -> int:
        """The number of pairs that tasks wrote."""
        from pyspark.sql import functions

        [row] = self._written_pairs().agg(functions.sum("place").alias("pairs")).collect()
        return int(row.pairs or 0)

    def _written_pairs(self) -> DataFrame:
        """Where tasks wrote pairs."""
        from pyspark.sql import functions

        return self.symbols.where(functions.col("kind") == steps.PAIRS)

    def merged(self) -> DataFrame:
        """Merged rules and linked words, and what the parts report."""
        job, parts, counted = self.job, self.parts, Path(self.folders.counted)

        def made() -> DataFrame:
            shutil.rmtree(counted, ignore_errors=True)
            make_folder(counted)
            count = functools.partial(steps.count_rules, job=job, folders=self.folders)
            pieces = self._written_pairs().repartition(self.tasks).mapInArrow(count, PIECES)
            merge = steps.grouped(steps.merge_pieces, job, parts, self.folders)
            return pieces.groupBy("kind", "part").applyInArrow(merge, PIECES)

        def check(rows: DataFrame) -> None:
            about = self._reports(rows)[-1]
            if about["pairs"] != self.pairs_written():
                raise lost_rows("extracting rules", about["pairs"], self.pairs_written(), counted)

        merged = self.stages.frame("merged", "extracting rules", made, check)
        shutil.rmtree(counted, ignore_errors=True)
        return merged

    def _reports(self, merged: DataFrame) -> dict[int, dict[str, Any]]:
        """The reports of the parts, and as part -1 that of the corpus."""
        return {row.part: json.loads(row.data) for row in _rows(merged, steps.REPORT)}

    def links(self, merged: DataFrame) -> Path:
        """All linked words as one run."""

        def write(path: Path) -> None:
            # Runs of ascending ranges, one after the other, are a run.
            with writing_bytes(path) as stream:
                for row in _rows(merged, steps.LINKS):
                    stream.write(row.data)

        return self.stages.file("links.run", write)

    def scored(self, merged: DataFrame, links: str, shared: SharedCounts) -> DataFrame:
        """Scored rules in the order of parts."""
        from pyspark.sql import functions

        job = self.job

        def made() -> DataFrame:
            targets = merged.where(functions.col("kind") == steps.TARGETS)
            add_up = steps.grouped(steps.add_up_targets, self.folders)
            totals = targets.groupBy("part").applyInArrow(add_up, PIECES)
            rules = merged.where(functions.col("kind") == steps.RULES)
            score = steps.grouped(steps.score_part, job, links, shared, self.folders)
            return rules.unionByName(totals).groupBy("part").applyInArrow(score, PIECES)

        def check(rows: DataFrame) -> None:
            made, wanted = (
                {row.part for row in frame.where(functions.col("kind") == kind).select("part").collect()}
                for frame, kind in ((rows, steps.REPORT), (merged, steps.RULES))
            )
            if made != wanted:
                raise lost_rows("scoring rules", len(made), len(wanted), self.folders.scored)

        return self.stages.frame("scored", "scoring rules", made, check)

    def assembled(
        self, scored: DataFrame, words: tuple[Path, Path], about: dict[str, Any], out: AnyPath
    ) -> ExtractReport:
        """The table, put together from its parts."""
        settings = self.job.settings()
        source, target = (path.read_bytes().decode("utf-8") for path in words)
        vocabulary = _core.RuleVocabulary(settings, source, target)
        kinds = [json.loads(row.data)["kinds"] for row in _rows(scored, steps.REPORT)]
        totals = [sum(column) for column in zip(*kinds, strict=True)] or [0, 0, 0]
        if not sum(totals):
            raise InputError(
                "no rule could be extracted.",
                hint="The alignment may be empty or belong to another corpus, or the minimum count is too high.",
            )
        writer = _core.RuleTableWriter(settings, vocabulary, out)
        for row in _rows(scored, steps.SCORED):
            writer.add(read_piece(self.folders.scored, row.data))
        sides = writer.finish(about["pairs"], totals)
        return ExtractReport(about["pairs"], about["too_long"], sides, dict(zip(writer.kinds, totals, strict=True)))


def _rows(frame: DataFrame, kind: str) -> Iterator[Any]:
    """The pieces of one kind, in the order of parts and of their places in them."""
    from pyspark.sql import functions

    found = frame.where(functions.col("kind") == kind)
    with errors_of_workers():
        if kind in (steps.REPORT, steps.SCORED):
            # Small: scored rules are in files.
            yield from sorted(found.collect(), key=lambda row: (row.part, row.origin))
        else:
            yield from found.orderBy("part", "origin").toLocalIterator(prefetchPartitions=True)


def _shared(options: ExtractOptions, reports: dict[int, dict[str, Any]]) -> SharedCounts:
    """Statistics of the whole table, and the counts of source sides that several parts share."""
    parts = [report for part, report in reports.items() if part >= 0]
    statistics = [sum(column) for column in zip(*(report["statistics"] for report in parts), strict=True)]
    edges: dict[str, list[tuple[int, list[int]]]] = defaultdict(list)
    for report in parts:
        for prefix, total, rules in report["edges"]:
            edges[prefix].append((total, rules))
    summed = []
    for prefix, found in edges.items():
        if len(found) > 1:
            rules = [sum(column) for column in zip(*(rules for _, rules in found), strict=True)]
            summed.append((bytes.fromhex(prefix), sum(total for total, _ in found), rules))
    return SharedCounts(options.smoothing, options.min_count, statistics, [], summed)
