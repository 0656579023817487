"""Which library an object comes from, by what its type has; and its name in messages."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graphmt.errors import InputError
from graphmt.reprs import shortened


def is_frame(given: Any) -> bool:
    """Whether it is a table with named columns: a DataFrame of pandas or polars, a table of Arrow."""
    return _has(given, "shape", "columns", "__getitem__") and not _has(given, "info", "column_names")


def is_rows(given: Any) -> bool:
    """Whether it is a data set of Hugging Face, which gives its rows one by one."""
    return _has(given, "column_names", "info") and not isinstance(given, Mapping)


def is_lazy(given: Any) -> bool:
    """Whether it is a table that is yet to be computed, of polars or Spark."""
    return not is_frame(given) and (_has(given, "collect_schema") or _has(given, "toPandas"))


def is_doc(given: Any) -> bool:
    """Whether it is a ``Doc`` or ``Span`` of spaCy."""
    return _has(given, "vocab", "text", "__iter__")


def is_token_list(given: Any) -> bool:
    """Whether it is a ``TokenList`` of conllu."""
    return isinstance(given, list) and hasattr(given, "metadata") and hasattr(given, "serialize")


def column_names(frame: Any) -> list[str]:
    """The names of the columns of a table."""
    return [str(name) for name in (frame.column_names if _has(frame, "column_names") else frame.columns)]


def column_values(frame: Any, place: int) -> Iterator[Any]:
    """The values of a column, by its position from 0."""
    if _has(frame, "column_names"):
        return iter(frame.column(place).to_pylist())
    if _has(frame, "iloc"):
        # Columns of pandas may have the same name.
        return iter(frame.iloc[:, place])
    return iter(frame[list(frame.columns)[place]])


def described(given: Any) -> str:
    """An object as messages name it: its type, and its value if that is plain."""
    if given is None or isinstance(given, str | bytes | int | float):
        return shortened(repr(given))
    if isinstance(given, list | tuple) and not is_token_list(given):
        return shortened(reprlib.repr(given))
    kind = type(given)
    home = kind.__module__.split(".")[0]
    return f"a {kind.__name__}" if home in ("builtins", "__main__") else f"a {kind.__name__} of {home}"


def items_of(given: Any, name: str, expected: str) -> Iterator[Any]:
    """The items of anything that has them in an order; all else is refused by name."""
    hint = None
    if isinstance(given, Mapping):
        kind = described(given)
        if given and all(map(is_rows, given.values())):
            hint = f"Give one of its splits: {', '.join(map(str, given))}."
    elif isinstance(given, set | frozenset):
        kind = f"{described(given)}, which has no order"
    elif is_lazy(given):
        kind = f"{described(given)}, which is not computed yet"
        hint = "Compute it first: collect(), or toPandas()."
    elif isinstance(given, str | bytes) or not isinstance(given, Iterable):
        kind = described(given)
    else:
        return iter(given)
    raise InputError(f"{kind}; {expected} expected.", file=name, hint=hint)


def _has(given: Any, *names: str) -> bool:
    # Objects of some libraries have columns as attributes, their types do not.
    return all(hasattr(type(given), name) for name in names)
