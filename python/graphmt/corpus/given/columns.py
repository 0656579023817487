"""Which columns of a table, or fields of rows, are source and target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from graphmt.corpus.given.kinds import column_names, column_values
from graphmt.corpus.header import NESTED, Columns, chosen_column, header_languages, named_column, named_columns
from graphmt.corpus.languages import Languages
from graphmt.errors import InputError

#: Values of a column that are looked at.
_LOOKED_AT = 100


def text_columns(frame: Any) -> list[str]:
    """The names of the columns of a table that have text."""
    names = column_names(frame)
    return [name for place, name in enumerate(names) if _has(str, frame, place)]


def is_nested(frame: Any) -> bool:
    """Whether a table has a column ``translation`` of mappings from languages to texts."""
    names = column_names(frame)
    return NESTED in names and _has(Mapping, frame, names.index(NESTED))


def text_fields(row: Mapping[str, Any]) -> list[str]:
    """The names of the fields of a row that have text."""
    return [str(name) for name, value in row.items() if isinstance(value, str)]


def chosen_pair(
    names: Sequence[str],
    texts: Sequence[str],
    languages: Languages | None,
    columns: Columns | None,
    file: str,
) -> tuple[str, str]:
    """The names of the source and the target column: ``names`` are those of all columns, ``texts`` those with text."""
    if columns is not None:
        source, target = (chosen_column(names, column) for column in columns)
        return source, target
    if (found := named_columns(texts, languages)) is not None:
        return texts[found[0] - 1], texts[found[1] - 1]
    stated = header_languages(texts)
    if languages is not None and stated.both is not None:
        raise InputError(f"{stated}, not {' and '.join(languages)}.", file=file)
    if len(texts) == 2:
        return texts[0], texts[1]
    raise InputError(
        f"{_columns(texts)}; exactly two were expected, or two that the languages name.",
        file=file,
        hint='Select source and target: data[["de", "en"]].',
    )


def chosen_one(texts: Sequence[str], side: int, language: str | None, file: str) -> str:
    """The name of the column with the sentences of one side (0: source, 1: target)."""
    found = named_column(texts, side, language)
    if found is None and len(texts) != 1:
        raise InputError(f"{_columns(texts)}; exactly one was expected.", file=file, hint='Select it: data["de"].')
    return texts[0 if found is None else found - 1]


def _has(kind: type, frame: Any, place: int) -> bool:
    return any(isinstance(value, kind) for value in islice(column_values(frame, place), _LOOKED_AT))


def _columns(texts: Sequence[str]) -> str:
    return f"its columns with text are {', '.join(texts)}" if texts else "it has no columns with text"
