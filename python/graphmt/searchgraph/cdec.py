"""cdec's hypergraphs in JSON: rules, then for each node its edges and itself, in an object whose keys repeat."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from typing import Any

from graphmt.nbest.texts import one_line
from graphmt.searchgraph.graph import Edge, SearchGraph

#: The one feature: an edge's score.
FEATURE = "score"

_SPECIAL = str.maketrans({"|": "&#124;", "[": "&#91;", "]": "&#93;"})
_LIKE_A_HOLE = re.compile(r"\[.*\]")


def written(graph: SearchGraph) -> str:
    """The hypergraph of a sentence, a line; its last node is the goal."""
    if not graph.edges:
        return "{}\n"
    # The first node of a lattice is none here: the edges that leave it have no tails.
    first = int(graph.is_lattice)
    labels = {edge.head: edge.label for edge in graph.edges}
    rules: dict[str, int] = {}
    parts: list[str] = []
    numbers = itertools.count()
    for head, group in itertools.groupby(graph.edges, lambda edge: edge.head):
        edges = []
        for edge in group:
            tails = [tail for tail in edge.tails if tail >= first]
            rule = _rule(edge, [labels[tail] for tail in tails], after=graph.is_lattice and bool(tails))
            edges.append(
                {
                    "tail": [tail - first for tail in tails],
                    "spans": [*(edge.span or (-1, -1)), -1, -1],
                    "feats": [0, edge.score],
                    "rule": rules.setdefault(rule, len(rules) + 1),
                }
            )
        parts += [f'"edges":{_json(edges)}']
        parts += [f'"node":{_json({"in_edges": list(itertools.islice(numbers, len(edges))), "cat": labels[head]})}']
    listed = [part for rule, number in rules.items() for part in (number, rule)]
    return f'{{"rules":{_json(listed)},"features":{_json([FEATURE])},{",".join(parts)}}}\n'


def _rule(edge: Edge, labels: Sequence[str], *, after: bool) -> str:
    """``[X] ||| im [X,1] mit [X,2] ||| with [2] in the [1]``; in a lattice the hole is all that precedes the words."""
    source, target = ((0, *edge.source), (0, *edge.target)) if after else (edge.source, edge.target)
    left = (_word(part) if isinstance(part, str) else f"[{labels[part]},{part + 1}]" for part in source)
    right = (_word(part) if isinstance(part, str) else f"[{part + 1}]" for part in target)
    return f"[{edge.label}] ||| {' '.join(left)} ||| {' '.join(right)}"


def _word(word: str) -> str:
    """A word that is neither a separator nor a hole; bars and brackets are written as by Moses' tokeniser."""
    word = "_".join(one_line(word).split())
    return word.translate(_SPECIAL) if "|||" in word or _LIKE_A_HOLE.fullmatch(word) else word


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
