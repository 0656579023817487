"""Rules with holes word for word as they are defined (Chiang 2007, section 3.1), without any thought of speed."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from fractions import Fraction

from naive_rules import Pair


@dataclasses.dataclass(frozen=True)
class Limits:
    length: int = 10
    symbols: int = 5
    holes: int = 2
    hole: int = 2


#: First and last source word, first and last target word.
Phrase = tuple[int, int, int, int]


def spans(words: int, longest: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(words) for b in range(a, words) if b - a < longest]


def phrases(pair: Pair, longest: int) -> list[Phrase]:
    """All pairs of spans with at least one link inside and none from inside to outside."""
    found = []
    for a, b in spans(len(pair.source), longest):
        for c, d in spans(len(pair.target), longest):
            inside = [(a <= i <= b, c <= j <= d) for i, j in pair.links]
            if any(s and t for s, t in inside) and all(s == t for s, t in inside):
                found.append((a, b, c, d))
    return found


def apart(one: Phrase, two: Phrase) -> bool:
    """No common words; on the source side at least one word between the two."""
    source = one[1] + 1 < two[0] or two[1] + 1 < one[0]
    target = one[3] < two[2] or two[3] < one[2]
    return source and target


def rules_of(pair: Pair, phrase: Phrase, inside: list[Phrase], limits: Limits) -> Iterator[tuple[Phrase, ...]]:
    """The sets of holes, by their place in the source side, that make a rule of a phrase pair."""
    a, b, c, d = phrase
    holes = [
        h for h in inside if a <= h[0] and h[1] <= b and c <= h[2] and h[3] <= d and h[1] - h[0] + 1 >= limits.hole
    ]
    for number in range(limits.holes + 1):
        for chosen in itertools.combinations(sorted(holes), number):
            words = [i for i in range(a, b + 1) if not any(h[0] <= i <= h[1] for h in chosen)]
            linked = any(i in words for i, _ in pair.links)
            fits = len(words) + number <= limits.symbols
            if linked and fits and all(apart(one, two) for one, two in itertools.combinations(chosen, 2)):
                yield chosen


def occurrences(pair: Pair, limits: Limits) -> Iterator[tuple[Phrase, tuple[Phrase, ...], Fraction]]:
    """Every rule with its share of the phrase pair's occurrence."""
    inside = phrases(pair, limits.length)
    for phrase in inside:
        found = list(rules_of(pair, phrase, inside, limits))
        yield from ((phrase, holes, Fraction(1, len(found))) for holes in found)


#: Source symbols, target symbols, alignment points.
Sides = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[int, int], ...]]


def sides(pair: Pair, phrase: Phrase, holes: tuple[Phrase, ...]) -> Sides:
    """A rule's symbols, holes as ``[X]`` and, on the target side, by number."""

    def side(
        words: tuple[str, ...], span: tuple[int, int], k: int, names: list[str]
    ) -> tuple[list[str], dict[int, int]]:
        symbols: list[str] = []
        places: dict[int, int] = {}
        for i in range(span[0], span[1] + 1):
            covering = [n for n, hole in enumerate(holes) if hole[k] <= i <= hole[k + 1]]
            if not covering:
                places[i] = len(symbols)
                symbols.append(words[i])
            elif holes[covering[0]][k] == i:
                symbols.append(names[covering[0]])
        return symbols, places

    source, from_ = side(pair.source, phrase[:2], 0, ["[X]"] * len(holes))
    target, to = side(pair.target, phrase[2:], 2, [f"[{n + 1}]" for n in range(len(holes))])
    points = sorted((from_[i], to[j]) for i, j in pair.links if i in from_ and j in to)
    return tuple(source), tuple(target), tuple(points)


def listed(pair: Pair, phrase: Phrase, holes: tuple[Phrase, ...], share: Fraction) -> str:
    """A rule as ``list_rules`` writes it."""
    source, target, points = sides(pair, phrase, holes)
    links = " ".join(f"{i}-{j}" for i, j in points)
    return f"{' '.join(source)} ||| {' '.join(target)} ||| {links} ||| {float(share):.6f}"
