"""HTK's standard lattice format (SLF): words and scores on links."""

from __future__ import annotations

import itertools

from graphmt.nbest.texts import one_line
from graphmt.searchgraph.graph import SearchGraph

#: The word of a link without one.
NO_WORD = "!NULL"


def written(graph: SearchGraph, number: int) -> str:
    """The lattice of a sentence."""
    nodes, links = _links(graph) if graph.edges else (2, [(0, 1, NO_WORD, 0.0)])
    rows = [
        "VERSION=1.0",
        f"UTTERANCE=Sentence_{number}",
        "base=2.71828182845905",
        f"NODES={nodes} LINKS={len(links)}",
        *(f"I={node}" for node in range(nodes)),
        *(f"J={k} S={start} E={end} W={word} a={score:.7g}" for k, (start, end, word, score) in enumerate(links)),
    ]
    return "\n".join(rows) + "\n"


def _links(graph: SearchGraph) -> tuple[int, list[tuple[int, int, str, float]]]:
    """The number of nodes, and (start, end, word, score) of links.

    A rule with several words is a chain, whose first link has the score. Links lead to larger numbers.
    """
    numbers, used = {0: 0}, 1
    links: list[tuple[int, int, str, float]] = []
    for head, edges in itertools.groupby(graph.edges, lambda edge: edge.head):
        chains = [(edge, [_word(word) for word in edge.words] or [NO_WORD]) for edge in edges]
        numbers[head] = used + sum(len(words) - 1 for _, words in chains)
        for edge, words in chains:
            inner = range(used, used := used + len(words) - 1)
            scores = (edge.score, *(0.0 for _ in inner))
            links += zip((numbers[edge.tails[0]], *inner), (*inner, numbers[head]), words, scores, strict=True)
        used += 1
    return used, links


def _word(word: str) -> str:
    """A word as a field's value: a quote at its beginning and backslashes are escaped, as HTK expects."""
    word = "_".join(one_line(word).split()).replace("\\", "\\\\")
    return f"\\{word}" if word[:1] in ("'", '"') else word
