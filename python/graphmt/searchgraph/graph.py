"""A search graph as a hypergraph: nodes are numbered so that edges lead from smaller to larger numbers."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

from graphmt.reprs import counted, shortened

#: The label of nodes that glue makes; all others are X.
GLUE, RULE = "S", "X"


@dataclasses.dataclass(frozen=True)
class Edge:
    """A rule that leads from nodes to a node.

    Examples
    --------
    >>> import graphmt
    >>> graph = graphmt.load("pbmt").search_graph("Er schläft .")
    >>> graph.edges[0].tails, graph.edges[0].positions[0]
    ((0,), 0)
    """

    head: int
    #: The node before it; in a chart those in the rule's holes, in source order.
    tails: tuple[int, ...]
    #: The source positions of the rule's own words, ascending.
    positions: tuple[int, ...]
    #: Words of both sides; a number is a hole, the place of its node in ``tails``. In a lattice they have none.
    source: tuple[str | int, ...]
    target: tuple[str | int, ...]
    #: The score that the rule adds.
    score: float
    #: In a chart: the span of the node, its first word and the one after its last.
    span: tuple[int, int] | None = None
    #: ``S`` for glue, else ``X``.
    label: str = RULE

    @property
    def words(self) -> tuple[str, ...]:
        """Its target words without the holes."""
        return tuple(word for word in self.target if isinstance(word, str))


@dataclasses.dataclass(frozen=True)
class SearchGraph:
    """All translations of a sentence that the search kept: a lattice, or the forest of a chart.

    Examples
    --------
    >>> import graphmt
    >>> graph = graphmt.load("pbmt").search_graph("Er schläft .")
    >>> graph.source, graph.is_lattice
    (('er', 'schläft', '.'), True)
    >>> graph.osg().splitlines()[0]
    '0 hyp=0 stack=0'
    """

    source: tuple[str, ...]
    #: A line of JSON for each edge, as the search writes it.
    json_lines: str
    #: Whether it is from a left-to-right search: each edge has one tail, and the first node is 0.
    is_lattice: bool

    @functools.cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges in the order of their heads. The largest head is the goal; an empty sentence has no edges."""
        pieces = itertools.groupby(map(json.loads, self.json_lines.splitlines()), lambda row: row.get("piece"))
        rows = [list(piece)[::-1] for _, piece in pieces]
        return tuple(_lattice(rows, self.source) if self.is_lattice else _forest(rows, self.source))

    @property
    def goal(self) -> int:
        """The node of complete translations."""
        return self.edges[-1].head if self.edges else 0

    def osg(self, number: int = 0) -> str:
        """As Moses writes search graphs; ``number`` is the sentence's."""
        from graphmt.searchgraph import osg

        return osg.written(self, number)

    def slf(self, number: int = 0) -> str:
        """As a lattice in HTK's format; ``number`` is the sentence's."""
        from graphmt.searchgraph import slf

        return slf.written(self, number)

    def cdec(self) -> str:
        """As a hypergraph in cdec's format, one line of JSON."""
        from graphmt.searchgraph import cdec

        return cdec.written(self)

    def __str__(self) -> str:
        return self.json_lines

    def __repr__(self) -> str:
        return f"SearchGraph({shortened(' '.join(self.source))!r}, {counted(self.json_lines.count(chr(10)), 'edge')})"


def _lattice(pieces: Sequence[Sequence[dict[str, Any]]], words: Sequence[str]) -> Iterator[Edge]:
    """Each piece begins at the goal of the previous one."""
    start = 0
    for rows in pieces:
        numbers = {0: start}
        for row in rows:
            head = numbers.setdefault(row["node"], start + len(numbers))
            places = tuple(row.get("first", 0) + place for place in row["positions"])
            source = tuple(words[place] for place in places)
            yield Edge(head, (numbers[row["from"]],), places, source, tuple(row["target"]), row["score"])
        start += len(numbers) - 1


def _forest(pieces: Sequence[Sequence[dict[str, Any]]], words: Sequence[str]) -> Iterator[Edge]:
    """The goals of the pieces are joined from left to right."""
    spans: list[tuple[int, int]] = []
    whole = -1
    for rows in pieces:
        numbers: dict[int, int] = {}
        before, first = len(spans), rows[0].get("first", 0)
        for row in rows:
            head = numbers.setdefault(row["node"], before + len(numbers))
            span = (first + row["span"][0], first + row["span"][1])
            spans += [span] * (head == len(spans))
            tails = tuple(numbers[tail] for tail in row["tails"])
            own = _own_and_holes(span, [spans[tail] for tail in tails])
            source = tuple(words[place] if hole < 0 else hole for place, hole in own)
            places = tuple(place for place, hole in own if hole < 0)
            yield Edge(head, tails, places, source, tuple(row["target"]), row["score"], span, row["label"])
        if whole >= 0:
            spans.append((0, spans[-1][1]))
            yield Edge(len(spans) - 1, (whole, len(spans) - 2), (), (0, 1), (0, 1), 0.0, spans[-1], GLUE)
        whole = len(spans) - 1


def _own_and_holes(span: tuple[int, int], tails: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The source side of a rule: (position, -1) for its own words, (first position, number) for holes."""
    found, at = [], span[0]
    for hole, (first, end) in enumerate(tails):
        found += [*((place, -1) for place in range(at, first)), (first, hole)]
        at = max(at, end)
    return [*found, *((place, -1) for place in range(at, span[1]))]
