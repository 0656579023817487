"""Rule extraction word for word as it is defined, without any thought of speed.

A rule is (source positions, first and last target word); the contexts of gbmt-ctx come with each.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

from graphmt import graph

Link = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Pair:
    """An aligned sentence pair with a tree."""

    source: tuple[str, ...]
    heads: tuple[int, ...]
    target: tuple[str, ...]
    links: frozenset[Link]

    def edges(self, kinds: tuple[str, ...]) -> set[Link]:
        found = {(int(i), int(j)) for i, j in graph.links(self.heads, kinds)}
        return found | {(j, i) for i, j in found}


@dataclasses.dataclass(frozen=True)
class Limits:
    source: int = 7
    target: int = 7
    span: int = 12
    unaligned: str = "linked"


def sources(pair: Pair, first: int, last: int) -> set[int]:
    return {i for i, j in pair.links if first <= j <= last}


def is_initial(pair: Pair, first: int, last: int) -> bool:
    """At least one link, and none from a source word of the span to a target word outside it."""
    inside = sources(pair, first, last)
    return bool(inside) and all(first <= j <= last for i, j in pair.links if i in inside)


def is_connected(nodes: frozenset[int], edges: set[Link]) -> bool:
    reached = {min(nodes)}
    while more := {j for i, j in edges if i in reached and j in nodes} - reached:
        reached |= more
    return reached == nodes


def source_sets(pair: Pair, first: int, last: int, kinds: tuple[str, ...], limits: Limits) -> Iterator[tuple[int, ...]]:
    """S with any unaligned words, if connected and within the limits.

    With ``neighbours`` every continuous run of positions has a word of S.
    """
    core = sources(pair, first, last)
    free = [i for i in range(len(pair.source)) if all(i != s for s, _ in pair.links)]
    for size in range(len(free) + 1):
        for extra in itertools.combinations(free, size):
            nodes = frozenset(core | set(extra))
            fits = len(nodes) <= limits.source and max(nodes) - min(nodes) < limits.span
            if limits.unaligned == "neighbours" and not all(core & run for run in runs(nodes)):
                continue
            if fits and is_connected(nodes, pair.edges(kinds)):
                yield tuple(sorted(nodes))


def runs(nodes: frozenset[int]) -> list[set[int]]:
    """The continuous runs of a set of positions."""
    found: list[set[int]] = []
    for i in sorted(nodes):
        if i - 1 not in nodes:
            found.append(set())
        found[-1].add(i)
    return found


def contexts(pair: Pair, nodes: tuple[int, ...], last: int, kinds: tuple[str, ...], scope: str) -> set[tuple[int, ...]]:
    """The distinct contexts of an occurrence, as places in the source side."""
    if scope == "next":
        ends = range(last + 1, len(pair.target))
        following = [sources(pair, last + 1, end) for end in ends if is_initial(pair, last + 1, end)]
    else:
        rest = {i for i, _ in pair.links} - sources(pair, 0, last)
        following = [rest] if rest else []
    edges = pair.edges(kinds)
    return {tuple(k for k, i in enumerate(nodes) if any((i, x) in edges for x in xs)) for xs in following}


def rules(
    pair: Pair, kinds: tuple[str, ...], limits: Limits, scope: str | None = None
) -> Iterator[tuple[tuple[int, ...], int, int, tuple[int, ...] | None]]:
    """(source positions, first, last, context or None for a basic rule), once for each occurrence."""
    for first in range(len(pair.target)):
        for last in range(first, min(len(pair.target), first + limits.target)):
            if not is_initial(pair, first, last):
                continue
            for nodes in source_sets(pair, first, last, kinds, limits):
                yield nodes, first, last, None
                if scope:
                    for context in contexts(pair, nodes, last, kinds, scope):
                        yield nodes, first, last, context


def joints(pair: Pair, nodes: tuple[int, ...], kinds: tuple[str, ...], identity: str) -> tuple[object, ...]:
    """What tells source sides of the same words apart."""
    if identity == "gaps":
        return tuple(k > 0 and nodes[k - 1] + 1 < i for k, i in enumerate(nodes))
    edges = pair.edges(kinds)
    return tuple(tuple(m for m in range(k) if (i, nodes[m]) in edges) for k, i in enumerate(nodes))


def listed(pair: Pair, nodes: tuple[int, ...], first: int, last: int, context: tuple[int, ...] | None) -> str:
    """A rule as ``list_rules`` writes it."""
    points = sorted((nodes.index(i), j - first) for i, j in pair.links if i in nodes and first <= j <= last)
    fields = [
        " ".join(pair.source[i] for i in nodes),
        " ".join(pair.target[first : last + 1]),
        " ".join(f"{i}-{j}" for i, j in points),
    ]
    if context is not None:
        fields.append(" ".join(map(str, context)))
    return " ||| ".join(fields)
