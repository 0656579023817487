"""Parallel text: two files, or one of pairs: tables, gettext catalogues, TMX, XLIFF, Parquet."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence

from graphmt.corpus.catalogue import is_catalogue, read_catalogue
from graphmt.corpus.header import Columns
from graphmt.corpus.parquet import is_parquet, read_parquet
from graphmt.corpus.sides import CHUNK, Chunk, TextChunk, in_step, read_side
from graphmt.corpus.tables import is_table, read_table
from graphmt.corpus.tmx import is_tmx, read_tmx
from graphmt.corpus.xliff import is_xliff, read_xliff
from graphmt.errors import InputError, OptionError
from graphmt.storage.files import AnyPath, name_of

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
    ``.mo``), a translation memory (``.tmx``, ``.xlf``) or a table (``.csv``; ``.parquet``, which needs pyarrow; by any
    other name tab-separated text).

    Parameters
    ----------
    source
        The source side, or a file of pairs; plain or compressed.
    target
        The target side.
    columns
        Columns of source and target in a table: numbers from 1, or names in its header. By default they are those
        that the header calls source and target or by their languages, or the only two.
    languages
        Languages of source and target. They choose from a TMX or Parquet file, or by the header of a table. A
        catalogue or XLIFF file for the other direction is turned round, and one with other languages is rejected.
    header
        Whether a table starts with a header; None detects names of columns or languages.

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
        return
    require_tables([source], columns, header)
    if is_catalogue(source):
        catalogue = read_catalogue(source)
        if catalogue.skipped:
            counts = ", ".join(f"{count} {name}" for name, count in sorted(catalogue.skipped.items()))
            log.info(f"{os.fspath(source)}: {len(catalogue.messages)} messages; skipped: {counts}.")
        turned = catalogue.languages.are_reversed(languages, source)
        yield from _chunked((one[::-1] for one in catalogue.pairs()) if turned else catalogue.pairs())
    elif is_tmx(source):
        yield from _chunked(read_tmx(source, languages))
    elif is_xliff(source):
        yield from _chunked(read_xliff(source, languages))
    elif is_parquet(source):
        yield from _chunked(read_parquet(source, columns, languages))
    else:
        yield from _chunked(read_table(source, columns, languages, header))


def require_tables(
    paths: Sequence[AnyPath], columns: Columns | None, header: bool | None, *, data: bool = False
) -> None:
    """Reject columns, or the word that there is a header, if no file of pairs has such a thing.

    ``data``: there are other pairs as well, which may have columns.
    """
    for name, value, has in (("columns", columns, has_columns), ("a header", header, has_header)):
        if value is not None and paths and not any(map(has, paths)) and not (data and has is has_columns):
            raise OptionError(
                f"{name} can only be given for tables, and {name_of(paths[0])} is not one.", hint="Leave it out."
            )


def has_columns(path: AnyPath) -> bool:
    """Whether a file of pairs is a table."""
    return not (is_catalogue(path) or is_tmx(path) or is_xliff(path))


def has_header(path: AnyPath) -> bool:
    """Whether a file of pairs is a text with columns, which may have a header."""
    return has_columns(path) and not is_parquet(path)


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
