"""Tokenising, casing and parsing of large texts: every worker process opens the steps or the parser once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphmt.corpus import TextSteps, is_conllu, plain_lines, tokenised
from graphmt.corpus.pairs import require_one_side
from graphmt.corpus.parsers import Parser, open_parser
from graphmt.corpus.parsers.running import parse_lines
from graphmt.errors import InputError, OptionError
from graphmt.progress import bar
from graphmt.spark.failures import errors_of_workers, for_workers
from graphmt.spark.jobs import Stages, work_folder
from graphmt.spark.row_numbers import numbers_of, require_written
from graphmt.spark.schemas import LINES, require_columns
from graphmt.spark.worker_files import loaded, send_folder, sent_folder
from graphmt.storage.files import AnyPath, digest, writing
from graphmt.storage.temporary import temporary_folder

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

_TREES = "number long, tree string"

#: Lines that a core parses or tokenises before the results are kept.
PARSED_PER_CORE, TOKENISED_PER_CORE = 5_000, 500_000

#: Sentences parsed at once.
_BATCH = 256


def tokenise(lines: DataFrame, steps: TextSteps) -> DataFrame:
    """Tokenise lines and set the case of words.

    Parameters
    ----------
    lines
        Lines with the columns ``number`` and ``text``.
    steps
        The steps; a truecaser must have been fitted (:meth:`graphmt.corpus.TextSteps.fit`).

    Returns
    -------
    DataFrame
        ``number`` and ``text``, as :meth:`graphmt.corpus.TextSteps.apply` returns it.

    Raises
    ------
    InputError
        If a column is missing.
    OptionError
        If the truecaser is not fitted.

    Examples
    --------
    >>> from graphmt import spark
    >>> from graphmt.corpus import TextOptions, TextSteps
    >>> session = spark.open_session("local[2]")
    >>> lines = session.createDataFrame([(0, "He sleeps.")], "number long, text string")
    >>> [row.text for row in spark.tokenise(lines, TextSteps(TextOptions(True, "en", "lower"))).collect()]
    ['he sleeps .']
    """
    if steps.options.case == "true" and steps.casings is None:
        raise OptionError("the truecaser is not fitted.", hint="Call fit, or load saved steps.")
    folder = sent_folder("steps")
    steps.save(folder / "steps")
    sent = send_folder(lines.sparkSession, folder)
    return require_columns(lines, LINES).mapInArrow(functools.partial(_tokenise, sent=sent), LINES)


@for_workers
def _tokenise(batches: Iterator[pyarrow.RecordBatch], sent: str) -> Iterator[pyarrow.RecordBatch]:
    for batch in batches:
        steps = loaded("steps", (sent,), lambda paths: TextSteps.load(paths[0] / "steps"))
        numbers_of(batch)
        texts = [text or "" for text in batch.column("text").to_pylist()]
        yield _batch("text", batch, list(steps.apply_all(texts)))


def parse(lines: DataFrame, parser: str, *, pretokenised: bool = False) -> DataFrame:
    """Parse lines into dependency trees.

    Parameters
    ----------
    lines
        Lines with the columns ``number`` and ``text``, one sentence each.
    parser
        The name of a parser, as for :func:`graphmt.corpus.open_parser`. Every executor needs it.
    pretokenised
        Keep the tokens of the text instead of tokenising it with the parser.

    Returns
    -------
    DataFrame
        ``number`` and ``tree`` (CoNLL-U).

    Raises
    ------
    InputError
        If a column is missing.
    MissingPackageError
        If the parser is missing.

    Examples
    --------
    >>> import sys
    >>> from graphmt import spark
    >>> session = spark.open_session("local[2]")
    >>> lines = session.createDataFrame([(0, "er schläft")], "number long, text string")
    >>> trees = spark.parse(lines, f"command:{sys.executable} chain_parser.py").collect()
    >>> ["schläft" in row.tree for row in trees]
    [True]
    """
    # Missing packages and models are reported before any work is done.
    open_parser(parser)
    step = functools.partial(_parse, parser=parser, pretokenised=pretokenised)
    return require_columns(lines, LINES).mapInArrow(step, _TREES)


@for_workers
def _parse(batches: Iterator[pyarrow.RecordBatch], parser: str, pretokenised: bool) -> Iterator[pyarrow.RecordBatch]:
    for batch in batches:
        numbers_of(batch)
        opened: Parser = loaded("parser", (), lambda _: open_parser(parser), parser)
        for start in range(0, batch.num_rows, _BATCH):
            part = batch.slice(start, _BATCH)
            texts = [text or "" for text in part.column("text").to_pylist()]
            first = part.column("number")[0].as_py() + 1
            trees = parse_lines(opened, texts, tokenised=pretokenised, first=first)
            yield _batch("tree", part, [tree.conllu() for tree in trees])


def _batch(name: str, given: pyarrow.RecordBatch, texts: list[str]) -> pyarrow.RecordBatch:
    import pyarrow

    columns = [given.column("number"), pyarrow.array(texts, pyarrow.string())]
    return pyarrow.RecordBatch.from_arrays(columns, ["number", name])


def tokenise_file(session: SparkSession, source: AnyPath, out: AnyPath, steps: TextSteps) -> TextSteps:
    """As :func:`graphmt.corpus.steps.process_file`; the truecaser is fitted by the driver."""
    require_file(source)
    require_one_side(source)
    trees = is_conllu(source)
    used = steps.for_tokens() if trees else steps
    if used.options.case == "true" and used.casings is None:
        used = used.fit(source)
    with temporary_folder("steps") as folder:
        used.save(folder)
        known = [[path.name, digest(path)] for path in sorted(folder.iterdir())]
    job = _Job("text", "tokenising", TOKENISED_PER_CORE, {"steps": known, "trees": trees})
    _write(session, source, out, job, lambda lines: tokenise(lines, used))
    return TextSteps(steps.options, used.casings, used.recaser)


def parse_file(session: SparkSession, source: AnyPath, out: AnyPath, parser: str, *, pretokenised: bool) -> int:
    """As :func:`graphmt.corpus.parse_file`."""
    require_file(source)
    require_one_side(source)
    trees = is_conllu(source)
    try:
        asked = {"parser": parser, "pretokenised": pretokenised, "trees": trees}
        job = _Job("tree", "parsing", PARSED_PER_CORE, asked)
        count = _write(
            session, source, out, job, lambda lines: parse(lines, parser, pretokenised=pretokenised or trees)
        )
    except InputError as error:
        if error.line is not None and error.file is None:
            error.file = str(source)
        raise
    return count


def require_file(source: AnyPath) -> None:
    """Reject standard input."""
    if str(source) == "-":
        raise OptionError("the Spark engine reads files, not standard input.", hint="Give a file.")


class _Job(NamedTuple):
    """What is made of the lines of a file."""

    #: The column of the result.
    column: str
    title: str
    #: Lines that a core works on before the results are kept.
    lines_per_core: int
    #: What determines the results, apart from the lines.
    request: dict[str, Any]


def _write(
    session: SparkSession, source: AnyPath, out: AnyPath, job: _Job, work: Callable[[DataFrame], DataFrame]
) -> int:
    """Write the results of the lines of a file, in order; returns how many. A repeated call resumes."""

    def rows() -> Iterator[tuple[Any, ...]]:
        return enumerate(tokenised(source) if job.request["trees"] else plain_lines(source))

    end = "\n" if job.column == "text" else ""
    count = 0
    request = {"source": digest(source), **job.request}
    with work_folder(out) as folder:
        read = Stages(session, folder, request)
        lines = read.table("lines", ("number", "text"), rows)
        stages = Stages(session, folder / job.column, request)
        found = stages.portions(job.column, job.title, lines, job.lines_per_core, work).orderBy("number")
        with writing(Path(out)) as stream, bar("lines") as advance, errors_of_workers():
            for row in found.toLocalIterator(prefetchPartitions=True):
                stream.write(f"{row[job.column]}{end}")
                count += 1
                advance(count)
            require_written(count, read.rows["lines"], out)
            if not count and job.column == "tree":
                raise InputError("this file is empty; there is nothing to parse.", file=source)
    return count
