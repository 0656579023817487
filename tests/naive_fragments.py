"""DGST's fragments, labels, structure and rules by their definitions (Li, Way and Liu 2015, sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence

from graphmt import _core
from naive_dependents import Tagged
from naive_hierarchical import Limits, Phrase, phrases, rules_of, sides

#: The node that the root word's edge starts at.
ROOT = -2


def edges(heads: Sequence[int]) -> list[tuple[int, int]]:
    """Each word as an edge from the node of its head to its own."""
    return [(ROOT if head < 0 else head, word) for word, head in enumerate(heads)]


def is_fragment(heads: Sequence[int], first: int, end: int, most: int) -> bool:
    """Connected, with few external nodes: those that touch an edge outside as well, and the root."""
    inside, outside = edges(heads)[first:end], [*edges(heads)[:first], *edges(heads)[end:]]
    reached = set(inside[0])
    for _ in inside:
        for edge in inside:
            if reached & set(edge):
                reached |= set(edge)
    if any(not set(edge) <= reached for edge in inside):
        return False
    touched = {node for edge in outside for node in edge} | {ROOT}
    return len(reached & touched) <= most


def tops(heads: Sequence[int], first: int, end: int) -> list[int]:
    """The words whose head is outside."""
    return [word for word in range(first, end) if not first <= heads[word] < end]


def open_node(heads: Sequence[int], first: int, end: int) -> int:
    """The first word with a dependent outside, -1 where there is none."""
    return next((w for w in range(first, end) if any(h == w and not first <= d < end for d, h in enumerate(heads))), -1)


def label(tags: Sequence[str], labels: str) -> str:
    """What a label shows of the parts of speech of the words whose head is outside."""
    if labels == "none":
        return "X"
    return "_".join([tags[0], tags[-1]] if labels == "ends" and len(tags) > 1 else tags)


def structure(heads: Sequence[int], phrase: Phrase, holes: tuple[Phrase, ...]) -> tuple[int, ...]:
    """The structure of a rule, see :func:`symbol_heads`."""
    symbols = []
    at = phrase[0]
    while at <= phrase[1]:
        last = next((hole[1] for hole in holes if hole[0] == at), at)
        symbols.append((at, last + 1))
        at = last + 1
    return symbol_heads(heads, symbols)


def symbol_heads(heads: Sequence[int], symbols: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """For each symbol the one whose end node is its head, -1 where that is the fragment's top."""
    ends = [first if end == first + 1 else open_node(heads, first, end) for first, end in symbols]
    above = [heads[tops(heads, *symbol)[0]] for symbol in symbols]
    return tuple(ends.index(head) if head >= 0 and head in ends else -1 for head in above)


def naive_rules(
    pair: Tagged, limits: Limits, most: int, shown: str
) -> list[tuple[str, tuple[tuple[str, ...], tuple[int, ...]]]]:
    """Every rule as it is listed, and what tells its source side apart."""
    heads = _core.projectivise(list(pair.heads))
    inside = [p for p in phrases(pair, limits.length) if is_fragment(heads, p[0], p[1] + 1, most)]
    found = []
    for phrase in inside:
        alike = list(rules_of(pair, phrase, inside, limits))
        for holes in alike:
            source, target, points = sides(pair, phrase, holes)
            labels = iter(label([pair.tags[word] for word in tops(heads, h[0], h[1] + 1)], shown) for h in holes)
            labelled = tuple(f"[{next(labels)}]" if symbol == "[X]" else symbol for symbol in source)
            links = " ".join(f"{i}-{j}" for i, j in points)
            line = f"{' '.join(labelled)} ||| {' '.join(target)} ||| {links} ||| {1 / len(alike):.6f}"
            found.append((line, (labelled, structure(heads, phrase, holes))))
    return found
