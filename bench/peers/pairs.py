"""A translation memory and n-best lists as large as a benchmark needs them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from graphmt.nbest import NBestList


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


def filled(given: NBestList, number: int) -> list[tuple[str, dict[str, float]]]:
    """So many candidates of a list with their values; further ones are the first ones with a word dropped."""
    rows = [
        (text, dict(zip(given.features, row.tolist(), strict=True)))
        for text, row in zip(given.texts, given.values, strict=True)
    ]
    for k in range(number - len(rows)):
        text, values = rows[k % len(given)]
        words = text.split()
        rows.append((" ".join(words[: k % max(1, len(words))] + words[k % max(1, len(words)) + 1 :]), values))
    return rows[:number]
