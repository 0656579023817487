"""Files as DataFrames: sentence pairs, sentences and lines, numbered in the order of the files."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from graphmt.corpus import is_conllu, plain_lines, tokenised
from graphmt.errors import InputError
from graphmt.spark.failures import errors_of_workers
from graphmt.spark.jobs import Stages
from graphmt.storage.files import AnyPath, lines

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Ends of the names of files and folders that Spark reads with its own readers, and the name of the reader.
_FORMATS = {".parquet": "parquet", ".jsonl": "json", ".ndjson": "json", ".json": "json"}


def read_table(session: SparkSession, path: str) -> DataFrame:
    """Open Parquet or JSON lines, by name, from any file system that Spark reads.

    Parameters
    ----------
    session
        The session.
    path
        A file, a folder or an address such as ``s3a://bucket/pairs.parquet``.

    Returns
    -------
    DataFrame
        Its rows.

    Raises
    ------
    InputError
        If the name has another end, or the file cannot be read.

    Examples
    --------
    >>> from graphmt.spark import open_session, read_table
    >>> session = open_session("local[2]")
    >>> session.range(3).write.mode("overwrite").parquet("three.parquet")
    >>> read_table(session, "three.parquet").count()
    3
    """
    name = path.rstrip("/").removesuffix(".gz")
    kind = next((kind for end, kind in _FORMATS.items() if name.endswith(end)), None)
    if kind is None:
        raise InputError("not Parquet or JSON lines by its name.", file=path, hint="Names end in .parquet or .jsonl.")
    with errors_of_workers():
        return session.read.format(kind).load(path)


def is_table(path: AnyPath) -> bool:
    """Whether a name is that of a file or folder for :func:`read_table`."""
    name = str(path).rstrip("/").removesuffix(".gz")
    return name.endswith(tuple(_FORMATS)) and not name.endswith(".json")


def aligned_pairs(
    stages: Stages, source: AnyPath, target: AnyPath, alignment: AnyPath, trees: AnyPath | None = None
) -> DataFrame:
    """The pairs of aligned, tokenised files of the driver, as a stage.

    ``trees`` is the source side as CoNLL-U.
    """

    paths = [source, target, alignment, *([] if trees is None else [trees])]
    columns = [lines(source), lines(target), lines(alignment), *([] if trees is None else [tree_texts(trees)])]

    def rows() -> Iterator[tuple[Any, ...]]:
        return ((*row, None) if trees is None else row for row in _parallel(paths, columns))

    names = ("number", "source", "target", "alignment", "tree")
    return stages.table("pairs", names, rows)


def sentence_pairs(stages: Stages, source: AnyPath, target: AnyPath) -> DataFrame:
    """The pairs of tokenised text or CoNLL-U files of the driver, as a stage."""

    def rows() -> Iterator[tuple[Any, ...]]:
        return _parallel([source, target], [tokenised(source), tokenised(target)])

    return stages.table("pairs", ("number", "source", "target"), rows)


def _parallel(paths: Sequence[AnyPath], columns: Sequence[Iterable[str]]) -> Iterator[tuple[Any, ...]]:
    """The lines of parallel files, numbered."""
    for number, row in enumerate(itertools.zip_longest(*columns)):
        if None in row:
            more = next(path for path, one in zip(paths, row, strict=True) if one is not None)
            raise InputError(
                f"{number} lines, but {more} has more.",
                file=paths[row.index(None)],
                hint="The files of a corpus must be parallel, line by line.",
            )
        yield number, *row


def sentences(stages: Stages, texts: Sequence[AnyPath]) -> DataFrame:
    """The sentences of text or CoNLL-U files of the driver, as a stage."""

    def rows() -> Iterator[tuple[Any, ...]]:
        numbers = itertools.count()
        for path in texts:
            if is_conllu(path):
                yield from ((next(numbers), None, tree) for tree in tree_texts(path))
            else:
                yield from ((next(numbers), text, None) for text in plain_lines(path))

    return stages.table("sentences", ("number", "text", "tree"), rows)


def text_lines(stages: Stages, texts: Sequence[AnyPath]) -> DataFrame:
    """The lines of text files of the driver, as a stage."""

    def rows() -> Iterator[tuple[Any, ...]]:
        return enumerate(itertools.chain.from_iterable(map(plain_lines, texts)))

    return stages.table("lines", ("number", "text"), rows)


def tree_texts(path: AnyPath) -> Iterator[str]:
    """The sentences of a CoNLL-U file as text, unparsed."""
    current: list[str] = []
    for line in itertools.chain(lines(path), [""]):
        if line.strip():
            current.append(line)
        elif current:
            yield "\n".join(current) + "\n"
            current = []
