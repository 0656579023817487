"""Random choices that are reproducible in every Python version: only ``Random.random`` is used."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """A source of choices."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def happens(self, probability: float) -> bool:
        """True with this probability."""
        return self._random.random() < probability

    def one(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[int(self._random.random() * len(items))]

    def weighted(self, items: Mapping[str, float]) -> str:
        """A key, with a probability in proportion to its value."""
        left = self._random.random() * sum(items.values())
        for name, weight in items.items():
            left -= weight
            if left < 0:
                return name
        return name
