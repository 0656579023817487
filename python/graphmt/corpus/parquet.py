"""Parquet tables of pairs, as a stream; needs the package pyarrow."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from graphmt.corpus.header import NESTED, Columns, chosen_column, is_header
from graphmt.errors import InputError, MissingPackageError
from graphmt.storage.files import AnyPath, open_bytes

#: Rows held at a time.
_ROWS = 4096


def is_parquet(path: AnyPath) -> bool:
    """Whether the name is that of a Parquet file."""
    return os.fspath(path).lower().endswith(".parquet")


def read_parquet(
    path: AnyPath, columns: Columns | None = None, languages: tuple[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """Pairs (source, target); rows without one side are skipped, and any white space becomes one space.

    The columns are those of ``columns`` (counted from 1, or by name), those named like the ``languages``, the fields of
    a column ``translation`` with these names, or the only two with text.
    """
    with _opened(path) as (table, arrow):
        names = _chosen(table.schema_arrow, arrow, path, columns, languages)
        top = list(dict.fromkeys(name.split(".")[0] for name in names))
        for batch in table.iter_batches(batch_size=_ROWS, columns=top, use_threads=False):
            sides = [_texts(batch, name, path) for name in names]
            for source, target in zip(*sides, strict=True):
                if source and target:
                    yield source, target


def text_columns(path: AnyPath) -> list[str]:
    """The names of the columns with text, or of the fields of a column ``translation``."""
    with _opened(path) as (table, arrow):
        return [name.rpartition(".")[2] for name in _text_columns(table.schema_arrow, arrow)]


@contextlib.contextmanager
def _opened(path: AnyPath) -> Iterator[tuple[Any, Any]]:
    """An opened file and the package that reads it; what goes wrong with the file is an error in words."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise MissingPackageError(
            "Parquet files need the package pyarrow.", file=path, hint="Install it: pip install 'graphmt[parquet]'"
        ) from None
    with open_bytes(path) as stream:
        try:
            yield parquet.ParquetFile(stream), arrow
        except (arrow.ArrowException, OSError) as error:
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"not a Parquet file, or damaged: {first}.", file=path, hint="Write it again.") from None


def _chosen(
    schema: Any, arrow: Any, path: AnyPath, columns: Columns | None, languages: tuple[str, str] | None
) -> list[str]:
    """The names of the source and target columns; ``a.b`` is the field b of the struct a."""
    if columns is not None:
        return [chosen_column(schema.names, column) for column in columns]
    texts = _text_columns(schema, arrow)
    if languages is not None:
        found = [next((name for name in texts if name.rpartition(".")[2] == one), None) for one in languages]
        if found[0] is not None and found[1] is not None:
            return [found[0], found[1]]
    elif len(texts) == 2:
        return texts
    pairs = [(one, other) for one in texts for other in texts if is_header(one, other) and "source" in one.lower()]
    if len(pairs) == 1:
        return list(pairs[0])
    raise InputError(
        f"its columns with text are {', '.join(texts) or 'none'}: source and target cannot be determined.",
        file=path,
        hint="Choose the two columns to read, counted from 1 or by name: --columns 1,2 or --columns de,en.",
    )


def _text_columns(schema: Any, arrow: Any) -> list[str]:
    fields = {field.name: field.type for field in schema}
    if NESTED in fields and arrow.types.is_struct(fields[NESTED]):
        kind = fields[NESTED]
        return [f"{NESTED}.{kind.field(place).name}" for place in range(kind.num_fields)]
    return [name for name, kind in fields.items() if _is_text(kind, arrow)]


def _is_text(kind: Any, arrow: Any) -> bool:
    return bool(arrow.types.is_string(kind) or arrow.types.is_large_string(kind))


def _texts(batch: Any, name: str, path: AnyPath) -> list[str]:
    column, _, field = name.partition(".")
    try:
        values = batch.column(batch.schema.get_field_index(column)).to_pylist()
    except UnicodeDecodeError:
        raise InputError(f"the column {name} has text that is not UTF-8.", file=path) from None
    texts = []
    for value in values:
        text = value.get(field) if field and isinstance(value, dict) else value
        if text is not None and not isinstance(text, str):
            raise InputError(f"the column {name} does not contain text.", file=path)
        texts.append(" ".join((text or "").split()))
    return texts
