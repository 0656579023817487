"""Derivations from JSON, written by ``Translation.as_json`` or by other programs.

They are validated completely, so that code that counts or draws them can rely on every position.
"""

from __future__ import annotations

import math
from typing import Any

from graphmt.model.translation import Derivation, Step


def derivation_from(content: Any) -> Derivation:
    """The derivation of parsed JSON; ``ValueError``, ``TypeError`` or ``KeyError`` if it is malformed."""
    source, heads = _texts(content["source"]), _numbers(content["heads"], -1, len(content["source"]))
    if heads and (len(heads) != len(source) or any(head == word for word, head in enumerate(heads))):
        raise ValueError("the heads do not match the words")
    rows = _list(content["steps"])
    words = sum(len(_texts(row["target"])) for row in rows)
    steps = tuple(_step(row, number, len(rows), len(source), words) for number, row in enumerate(rows))
    for name in ("positions", "places", "children"):
        numbers = [number for step in steps for number in getattr(step, name)]
        if len(set(numbers)) != len(numbers):
            raise ValueError(f"two steps share {name}")
    return Derivation(source, heads, steps)


def _step(row: Any, number: int, steps: int, source: int, target: int) -> Step:
    own = _texts(row["target"])
    children = _numbers(row.get("children", []), number + 1, steps)
    places, labels = _numbers(row.get("places", []), 0, target), _texts(row.get("labels", []))
    context, count, kind = row["context"], row["count"], row["kind"]
    if len(places) not in (0, len(own)) or len(labels) not in (0, len(children)) or not isinstance(kind, str):
        raise ValueError("a step is inconsistent")
    if isinstance(count, bool) or not isinstance(count, int | float) or not math.isfinite(count):
        raise ValueError("a count is not a number")
    return Step(
        positions=_numbers(row["positions"], 0, source),
        kind=kind,
        context=None if context is None else _numbers(context, 0, source),
        target=own,
        alignment=tuple((_number(i, 0, source), _number(j, 0, target)) for i, j in map(_list, _list(row["alignment"]))),
        count=float(count),
        places=places,
        children=children,
        labels=labels,
    )


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not all(isinstance(text, str) for text in _list(value)):
        raise TypeError("strings were expected")
    return tuple(value)


def _numbers(value: Any, least: int, end: int) -> tuple[int, ...]:
    return tuple(_number(number, least, end) for number in _list(value))


def _number(value: Any, least: int, end: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < end:
        raise ValueError(f"a number from {least} to {end - 1} was expected")
    return value
