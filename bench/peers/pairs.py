"""A translation memory as large as a benchmark needs it."""

from __future__ import annotations

import random
from collections.abc import Iterator


def varied(pairs: list[tuple[str, str]], number: int) -> Iterator[tuple[str, str]]:
    """The pairs, then again with a source word exchanged for one of another sentence, so that all sources differ."""
    chance = random.Random(1)
    yield from pairs[:number]
    for _ in range(number - len(pairs)):
        source, target = chance.choice(pairs)
        words, others = source.split(), chance.choice(pairs)[0].split()
        if words and others:
            words[chance.randrange(len(words))] = chance.choice(others)
        yield " ".join(words), target
