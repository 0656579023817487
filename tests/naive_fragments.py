"""DGST's fragments, labels, structure and rules by their definitions (Li, Way and Liu 2015, sections 3 and 4)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from graphmt import _core
from hypothesis import strategies as st
from naive_dependents import Tagged
from naive_hierarchical import Limits, Phrase, phrases, rules_of, sides

#: The label of a gap.
GAP = "<gap>"

#: From the first word to after the last.
Span = tuple[int, int]


@st.composite
def linked(draw: st.DrawFn, most: int = 6, words: str = "abc", least: int = 1) -> Tagged:
    """Each word is linked to one, in the same or the opposite order: every span is consistent, and the tree alone says
    what is no rule. Trees are wide, so that many spans are fragments with a gap alone."""
    order = draw(st.permutations(range(draw(st.integers(least, most)))))
    heads = [-1] * len(order)
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, min(place - 1, 1)))]
    n = len(heads)
    turned = draw(st.booleans())
    return Tagged(
        tuple(draw(st.lists(st.sampled_from(words), min_size=n, max_size=n))),
        tuple(draw(st.lists(st.sampled_from("XY"), min_size=n, max_size=n))),
        tuple(heads),
        tuple(draw(st.lists(st.sampled_from("ABCD"), min_size=n, max_size=n))),
        frozenset((k, n - 1 - k if turned else k) for k in range(n)),
    )


#: The node that the root word's edge starts at.
ROOT = -2


def edges(heads: Sequence[int]) -> list[tuple[int, int]]:
    """Each word as an edge from the node of its head to its own."""
    return [(ROOT if head < 0 else head, word) for word, head in enumerate(heads)]


def is_fragment(heads: Sequence[int], first: int, end: int, most: int, gaps: Sequence[Span] = ()) -> bool:
    """Connected, with few external nodes: those that touch an edge outside as well, and the root; or a single word.

    What is in the gaps is outside.
    """
    if end == first + 1:
        return True
    own = [first <= word < end and not any(a <= word < b for a, b in gaps) for word in range(len(heads))]
    inside = [edge for edge, is_own in zip(edges(heads), own, strict=True) if is_own]
    outside = [edge for edge, is_own in zip(edges(heads), own, strict=True) if not is_own]
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


def structure(
    heads: Sequence[int], phrase: Phrase, holes: tuple[Phrase, ...], gaps: tuple[Phrase, ...]
) -> tuple[int, ...]:
    """The structure of a rule, see :func:`symbol_heads`."""
    symbols = []
    at = phrase[0]
    while at <= phrase[1]:
        last = next((hole[1] for hole in holes if hole[0] == at), at)
        symbols.append((at, last + 1))
        at = last + 1
    return symbol_heads(heads, symbols, [(gap[0], gap[1] + 1) for gap in gaps])


def symbol_heads(heads: Sequence[int], symbols: Sequence[Span], gaps: Sequence[Span] = ()) -> tuple[int, ...]:
    """For each symbol the one whose end node is its head, -1 where that is the fragment's top or for gaps."""
    ends = [
        -1 if (first, end) in gaps else first if end == first + 1 else open_node(heads, first, end)
        for first, end in symbols
    ]
    above = [-1 if symbol in gaps else heads[tops(heads, *symbol)[0]] for symbol in symbols]
    return tuple(ends.index(head) if head >= 0 and head in ends else -1 for head in above)


def naive_rules(
    pair: Tagged, limits: Limits, most: int, shown: str, max_gaps: int = 0
) -> list[tuple[str, tuple[tuple[str, ...], tuple[int, ...]]]]:
    """Every rule as it is listed, and what tells its source side apart."""
    heads = _core.projectivise(list(pair.heads))
    every = phrases(pair, limits.length)
    inside = [p for p in every if is_fragment(heads, p[0], p[1] + 1, most)]
    found = []
    for phrase in every:
        if phrase in inside:
            alike = [(holes, ()) for holes in rules_of(pair, phrase, inside, limits)]
        else:
            alike = [
                (holes, gaps)
                for holes in rules_of(pair, phrase, every, limits)
                for number in range(1, max_gaps + 1)
                for gaps in itertools.combinations(holes, number)
                if all(hole in gaps or hole in inside for hole in holes)
                and all(phrase[0] < gap[0] and gap[1] < phrase[1] for gap in gaps)
                and is_fragment(heads, phrase[0], phrase[1] + 1, most, [(gap[0], gap[1] + 1) for gap in gaps])
            ]
        for holes, gaps in alike:
            source, target, points = sides(pair, phrase, holes)
            labels = iter(
                GAP if h in gaps else label([pair.tags[word] for word in tops(heads, h[0], h[1] + 1)], shown)
                for h in holes
            )
            labelled = tuple(f"[{next(labels)}]" if symbol == "[X]" else symbol for symbol in source)
            links = " ".join(f"{i}-{j}" for i, j in points)
            line = f"{' '.join(labelled)} ||| {' '.join(target)} ||| {links} ||| {1 / len(alike):.6f}"
            found.append((line, (labelled, structure(heads, phrase, holes, gaps))))
    return found
