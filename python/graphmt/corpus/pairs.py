"""Parallel text: two files, or one of pairs: tab-separated text, gettext catalogues, TMX, XLIFF, Parquet."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence

from graphmt.corpus.catalogue import is_catalogue, read_catalogue
from graphmt.corpus.header import Columns, is_header
from graphmt.corpus.parquet import is_parquet, read_parquet
from graphmt.corpus.sides import CHUNK, Chunk, TextChunk, in_step, read_side
from graphmt.corpus.tmx import is_tmx, read_tmx
from graphmt.corpus.xliff import is_xliff, read_xliff
from graphmt.errors import InputError, OptionError
from graphmt.options import nearest
from graphmt.storage.files import AnyPath, lines, name_of

log = logging.getLogger(__name__)


def read_pairs(
    source: AnyPath,
    target: AnyPath | None = None,
    *,
    columns: Columns | None = None,
    languages: tuple[str, str] | None = None,
    header: bool | None = None,
) -> Iterator[tuple[str, str]]:
    """Read pairs (source, target) of sentences, as a stream.

    Two files are text or CoNLL-U (whose tokens are given). One file is a gettext catalogue (``.po``, ``.pot``,
    ``.mo``), a translation memory (``.tmx``, ``.xlf``), a table (``.parquet``, needs pyarrow) or tab-separated text.

    Parameters
    ----------
    source
        The source side, or a file of pairs; plain or gzip.
    target
        The target side.
    columns
        Columns of source and target in tab-separated text: numbers from 1, or names in its header. By default there
        are only these two.
    languages
        Languages of source and target in a TMX, XLIFF or Parquet file.
    header
        Whether tab-separated text starts with a header; None detects names of columns or languages.

    Yields
    ------
    tuple[str, str]
        Pairs of texts.

    Raises
    ------
    InputError
        If the sides differ in length, or a line does not have the columns.

    Examples
    --------
    >>> from graphmt.corpus import read_pairs
    >>> next(read_pairs("memory.tmx", languages=("de", "en")))
    ('er ruft seine schwester an .', 'he is calling his sister .')
    """
    for left, right in read_pair_chunks(source, target, columns=columns, languages=languages, header=header):
        yield from zip(left.texts, right.texts, strict=True)


def read_pair_chunks(
    source: AnyPath,
    target: AnyPath | None = None,
    *,
    columns: Columns | None = None,
    languages: tuple[str, str] | None = None,
    header: bool | None = None,
    lenient: bool = False,
) -> Iterator[tuple[Chunk, Chunk]]:
    """The same in chunks; ``lenient`` records bad trees instead of raising an error."""
    if target is not None:
        for name, value in (("columns", columns), ("languages", languages), ("a header", header)):
            if value is not None:
                raise OptionError(f"{name} can only be given for a file of pairs, but two files were given.")
        paths = (source, target)
        for path in paths:
            require_one_side(path)
        sides = in_step(paths, [read_side(path, lenient=lenient) for path in paths])
        yield from ((left, right) for left, right in sides)
    elif is_catalogue(source):
        catalogue = read_catalogue(source)
        if catalogue.skipped:
            counts = ", ".join(f"{count} {name}" for name, count in sorted(catalogue.skipped.items()))
            log.info(f"{os.fspath(source)}: {len(catalogue.messages)} messages; skipped: {counts}.")
        yield from _chunked(catalogue.pairs())
    elif is_tmx(source):
        yield from _chunked(read_tmx(source, languages))
    elif is_xliff(source):
        yield from _chunked(read_xliff(source, languages))
    elif is_parquet(source):
        yield from _chunked(read_parquet(source, columns, languages))
    else:
        numbers = _numbers(source, columns, header) if columns is not None else None
        named = numbers != columns
        header = True if named else header
        yield from _chunked(_without_header(_columns(source, numbers), source, languages, header))


def is_table(path: AnyPath) -> bool:
    """Whether a file name is that of tab-separated text: ``.tsv``, also with ``.gz``."""
    return os.fspath(path).lower().removesuffix(".gz").endswith(".tsv")


def has_pairs(path: AnyPath) -> bool:
    """Whether a file name is that of a file of pairs."""
    return any(is_one(path) for is_one in (is_catalogue, is_table, is_tmx, is_xliff, is_parquet))


def require_one_side(path: AnyPath) -> None:
    """Reject a file of pairs where one side is expected, with a hint how to split it."""
    if has_pairs(path):
        raise InputError(
            "this file contains pairs; one side was expected.",
            file=path,
            hint=f"Split it first: graphmt corpus convert {os.fspath(path)} SOURCE TARGET",
        )


def _chunked(pairs: Iterator[tuple[str, str]]) -> Iterator[tuple[Chunk, Chunk]]:
    sources: list[str] = []
    targets: list[str] = []
    for source, target in pairs:
        sources.append(source)
        targets.append(target)
        if len(sources) == CHUNK:
            yield TextChunk(sources), TextChunk(targets)
            sources, targets = [], []
    if sources:
        yield TextChunk(sources), TextChunk(targets)


def _without_header(
    pairs: Iterator[tuple[str, str]], path: AnyPath, languages: tuple[str, str] | None, header: bool | None
) -> Iterator[tuple[str, str]]:
    first = next(pairs, None)
    if first is None:
        return
    if header is None and is_header(*first, languages):
        log.warning(
            f"{name_of(path)}: the first line ({first[0]}, {first[1]}) looks like a header and is skipped; "
            "--no-header reads it as a pair."
        )
        header = True
    if not header:
        yield first
    yield from pairs


def _numbers(path: AnyPath, columns: Columns, header: bool | None) -> tuple[int, int]:
    """The numbers of columns, which may be named in the header."""
    if isinstance(columns[0], int) and isinstance(columns[1], int):
        return columns[0], columns[1]
    if os.fspath(path) == "-" or header is False:
        raise OptionError(
            f"the columns {columns[0]} and {columns[1]} are names, but "
            + ("standard input can be read only once." if header is None else "there is no header."),
            hint="Give their numbers, such as 1,2.",
        )
    names = [cell.strip().strip('"').strip().lower() for cell in next(lines(path), "").split("\t")]
    found = []
    for column in columns:
        if str(column).lower() not in names:
            raise InputError(
                f"the header has no column {column!r}{nearest(str(column).lower(), names)}.", file=name_of(path), line=1
            )
        found.append(names.index(str(column).lower()) + 1)
    return found[0], found[1]


def _columns(path: AnyPath, columns: tuple[int, int] | None) -> Iterator[tuple[str, str]]:
    if columns is not None and min(columns) < 1:
        raise OptionError(f"columns are counted from 1, not {min(columns)}.")
    for number, line in enumerate(lines(path), 1):
        parts = line.split("\t")
        if columns is None:
            if len(parts) != 2:
                raise InputError(
                    f"{_counted(parts)}; source and target, separated by one tab, were expected.",
                    file=name_of(path),
                    line=number,
                    hint="Choose the two columns to read (--columns 1,2), or give two files."
                    if len(parts) > 2
                    else "If this file is one side, give the other as a second file.",
                )
            yield parts[0], parts[1]
        elif len(parts) < max(columns):
            raise InputError(
                f"{_counted(parts)}, but column {max(columns)} was requested.", file=name_of(path), line=number
            )
        else:
            yield parts[columns[0] - 1], parts[columns[1] - 1]


def _counted(parts: Sequence[str]) -> str:
    return f"{len(parts)} column{'' if len(parts) == 1 else 's'}"
