"""Short representations of objects that hold much data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeVar, overload

Item = TypeVar("Item")


class ShownList(list[Item]):
    """A list that a notebook shows in another way; its slices are such lists too."""

    @overload
    def __getitem__(self, place: SupportsIndex) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return type(self)(found) if isinstance(place, slice) else found


def shortened(text: str, most: int = 60) -> str:
    """A text as a ``repr`` shows it: only its beginning if it has more than ``most`` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 rule``, ``2,000 rules``."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def listed(names: Sequence[str]) -> str:
    """``a, b and c``."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
