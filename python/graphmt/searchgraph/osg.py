"""Moses' search graphs (``-output-search-graph``): a line for each hypothesis.

An edge is a hypothesis. The best one into a node stands for the node: others are recombined with it, and hypotheses
after the node go back to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from graphmt.nbest.texts import one_line
from graphmt.searchgraph.graph import Edge, SearchGraph


def written(graph: SearchGraph, number: int) -> str:
    """The lines of a sentence."""
    return "".join(f"{number} {line}\n" for line in ("hyp=0 stack=0", *_hypotheses(graph)))


def _hypotheses(graph: SearchGraph) -> Iterator[str]:
    edges = graph.edges
    score, covered, ranked = {0: 0.0}, {0: 0}, dict[int, list[int]]()
    for k, edge in enumerate(edges):
        (before,) = edge.tails
        score[edge.head] = max(score.get(edge.head, -math.inf), score[before] + edge.score)
        covered[edge.head] = covered[before] + len(edge.positions)
        ranked.setdefault(edge.head, []).append(k)
    for into in ranked.values():
        into.sort(key=lambda k: -(score[edges[k].tails[0]] + edges[k].score))
    order = [k for into in ranked.values() for k in into]
    ids = {k: number for number, k in enumerate(order, 1)}
    winner = {0: 0, **{node: ids[into[0]] for node, into in ranked.items()}}
    ahead = _ahead(edges)
    for k in order:
        edge = edges[k]
        (before,) = edge.tails
        following, rest = ahead[edge.head]
        recombined = "" if ids[k] == winner[edge.head] else f" recombined={winner[edge.head]}"
        yield (
            f"hyp={ids[k]} stack={covered[edge.head]} back={winner[before]} score={score[before] + edge.score:.7g}"
            f" transition={edge.score:.7g}{recombined} forward={ids[following] if following >= 0 else -1}"
            f" fscore={rest:.7g} covered={edge.positions[0]}-{edge.positions[-1]}"
            f" out={one_line(' '.join(edge.words))}"
        )


def _ahead(edges: tuple[Edge, ...]) -> dict[int, tuple[int, float]]:
    """The best edge that leaves each node, -1 at the goal, and the score from there to the goal."""
    best: dict[int, tuple[int, float]] = {edges[-1].head: (-1, 0.0)} if edges else {}
    for k in reversed(range(len(edges))):
        edge = edges[k]
        found = best[edge.head][1] + edge.score
        if found > best.get(edge.tails[0], (-1, -math.inf))[1]:
            best[edge.tails[0]] = k, found
    return best
