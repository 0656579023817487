"""Pairs in tables: tab-separated text, and CSV with quoted cells."""

from __future__ import annotations

import csv
import logging
from collections.abc import Iterator, Sequence
from itertools import chain

from graphmt.corpus.header import Columns, header_languages, is_header, named_columns
from graphmt.errors import InputError, OptionError
from graphmt.options import nearest
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, lines, name_of

log = logging.getLogger(__name__)

#: A row with the number of its first line.
Row = tuple[int, list[str]]


def is_table(path: AnyPath) -> bool:
    """Whether a file name is that of a table: ``.tsv`` or ``.csv``, also with ``.gz``."""
    return plain_name(path).lower().endswith((".tsv", ".csv"))


def read_table(
    path: AnyPath,
    columns: Columns | None = None,
    languages: tuple[str, str] | None = None,
    header: bool | None = None,
) -> Iterator[tuple[str, str]]:
    """Pairs (source, target) from two columns; parameters are as in :func:`graphmt.corpus.read_pairs`.

    Without ``columns``, they are those that the first row names, by ``languages`` or as source and target; else there
    must be two.
    """
    if columns is not None and not isinstance(columns[0], int):
        _require_header(path, columns, header)
    rows = _rows(path)
    first = next(rows, None)
    if first is None:
        if columns is not None and not isinstance(columns[0], int):
            raise _unnamed(path, columns[0], ())
        return
    numbers, named = _chosen(path, first[1], columns, languages, header)
    pairs = _cells(chain([first], rows), path, numbers)
    if header is None and columns is not None and named:
        header = True
    yield from _without_header(pairs, path, languages, header, named=named)


def first_row(path: AnyPath) -> list[str]:
    """The cells of the first row of a table."""
    return next(_rows(path), (0, []))[1]


def _rows(path: AnyPath) -> Iterator[Row]:
    return _csv_rows(path) if _is_csv(path) else _tab_rows(path)


def _is_csv(path: AnyPath) -> bool:
    return plain_name(path).lower().endswith(".csv")


def _tab_rows(path: AnyPath) -> Iterator[Row]:
    for number, line in enumerate(lines(path), 1):
        yield number, line.split("\t")


def _csv_rows(path: AnyPath) -> Iterator[Row]:
    """The rows of a CSV file; the separator (comma, semicolon or tab) is the most frequent in its first line."""
    found = lines(path)
    first = next(found, None)
    if first is None:
        return
    separator = max(",;\t", key=first.count)
    reader = csv.reader((f"{line}\n" for line in chain([first], found)), delimiter=separator, strict=True)
    done = 0
    try:
        for cells in reader:
            # A blank line is not a row.
            if cells:
                # A pair has one line on each side.
                yield done + 1, [" ".join(cell.split()) for cell in cells]
            done = reader.line_num
    except csv.Error as error:
        raise InputError(
            f"not CSV, or damaged: {error}.",
            file=name_of(path),
            line=done + 1,
            hint="Quotes inside a quoted cell are doubled; export the table again.",
        ) from None


def _chosen(
    path: AnyPath, first: Sequence[str], columns: Columns | None, languages: tuple[str, str] | None, header: bool | None
) -> tuple[tuple[int, int] | None, bool]:
    """The columns from 1, None for the only two; and whether the first row names them."""
    if columns is None:
        found = None if header is False else named_columns(first, languages)
        return found, found is not None
    if isinstance(columns[0], int) and isinstance(columns[1], int):
        if min(columns) < 1:
            raise OptionError(f"columns are counted from 1, not {min(columns)}.")
        return (columns[0], columns[1]), False
    names = [cell.strip().strip('"').strip().lower() for cell in first]
    numbers = []
    for column in columns:
        if str(column).lower() not in names:
            raise _unnamed(path, column, names)
        numbers.append(names.index(str(column).lower()) + 1)
    return (numbers[0], numbers[1]), True


def _unnamed(path: AnyPath, column: int | str, names: Sequence[str]) -> InputError:
    message = f"the header has no column {column!r}{nearest(str(column).lower(), names)}."
    return InputError(message, file=name_of(path), line=1)


def _require_header(path: AnyPath, columns: Columns, header: bool | None) -> None:
    if header is False:
        raise OptionError(
            f"the columns {columns[0]} and {columns[1]} are names, but there is no header.",
            hint="Give their numbers, such as 1,2.",
        )


def _without_header(
    pairs: Iterator[tuple[str, str]],
    path: AnyPath,
    languages: tuple[str, str] | None,
    header: bool | None,
    *,
    named: bool,
) -> Iterator[tuple[str, str]]:
    first = next(pairs, None)
    if first is None:
        return
    if header is None and not named and languages is not None:
        _require_languages(first, path, languages)
    if header is None and (named or is_header(*first, languages)):
        log.warning(
            f"{name_of(path)}: the first line ({first[0]}, {first[1]}) looks like a header and is skipped; "
            "--no-header reads it as a pair."
        )
        header = True
    if not header:
        yield first
    yield from pairs


def _require_languages(first: tuple[str, str], path: AnyPath, languages: tuple[str, str]) -> None:
    """Reject a header that names other languages, rather than read it as a pair."""
    stated = header_languages(first)
    if stated.both is not None and not stated.fit(languages):
        raise InputError(
            f"the first line names the languages {first[0]} and {first[1]}, not {' and '.join(languages)}.",
            file=name_of(path),
            line=1,
            hint="Choose these with --languages; --no-header reads the line as a pair.",
        )


def _cells(rows: Iterator[Row], path: AnyPath, columns: tuple[int, int] | None) -> Iterator[tuple[str, str]]:
    for number, cells in rows:
        if columns is None:
            if len(cells) != 2:
                kind = "a comma" if _is_csv(path) else "one tab"
                raise InputError(
                    f"{_counted(cells)}; source and target, separated by {kind}, were expected.",
                    file=name_of(path),
                    line=number,
                    hint="Choose the two columns to read (--columns 1,2), or give two files."
                    if len(cells) > 2
                    else "If this file is one side, give the other as a second file.",
                )
            yield cells[0], cells[1]
        elif len(cells) < max(columns):
            raise InputError(
                f"{_counted(cells)}, but column {max(columns)} was requested.", file=name_of(path), line=number
            )
        else:
            yield cells[columns[0] - 1], cells[columns[1] - 1]


def _counted(cells: Sequence[str]) -> str:
    return f"{len(cells)} column{'' if len(cells) == 1 else 's'}"
