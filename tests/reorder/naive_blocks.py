"""Block pairs by the definition, word by word: what the core must find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from graphmt.reorder import Example
from naive_rules import Pair

Span = range


def blocks(pair: Pair, most: int) -> Iterator[tuple[Span, Span]]:
    """Consistent phrase pairs with an aligned word, whose target sides begin and end with aligned words."""
    n, m = len(pair.source), len(pair.target)
    for i in range(n):
        for j in range(i + 1, min(n, i + most) + 1):
            for k in range(m):
                for last in range(k + 1, min(m, k + most) + 1):
                    inside = [(s in range(i, j), t in range(k, last)) for s, t in pair.links]
                    if any(one != other for one, other in inside):
                        continue
                    reached = {t for s, t in pair.links if s in range(i, j)}
                    if {k, last - 1} <= reached:
                        yield range(i, j), range(k, last)


def block_pairs(pair: Pair, most: int) -> Iterator[tuple[tuple[Span, Span], tuple[Span, Span], bool]]:
    """Two blocks that touch in the source text, with none but unaligned words between them in the target text."""
    found = list(blocks(pair, most))
    aligned = {t for _, t in pair.links}
    for left in found:
        for right in found:
            if left[0].stop != right[0].start:
                continue
            for straight, first, second in ((True, left[1], right[1]), (False, right[1], left[1])):
                if first.stop <= second.start and not aligned & set(range(first.stop, second.start)):
                    yield left, right, straight


def examples(pair: Pair, most: int, which: str = "all") -> Counter[Example]:
    """The same as a bag of examples; of each corner the blocks that ``which`` says."""
    pairs = list(block_pairs(pair, most))
    if which != "all":
        best = min if which == "smallest" else max
        corners: dict[tuple[int, int, int, bool], list[tuple[Span, Span, Span, Span]]] = {}
        for (ls, lt), (rs, rt), straight in pairs:
            meet = (lt.stop, rt.start) if straight else (lt.start, rt.stop)
            corners.setdefault((ls.stop, *meet, straight), []).append((ls, lt, rs, rt))
        pairs = []
        for (*_, straight), together in corners.items():
            left = best(((ls, lt) for ls, lt, _, _ in together), key=lambda block: len(block[0]))
            right = best(((rs, rt) for _, _, rs, rt in together), key=lambda block: len(block[0]))
            pairs.append((left, right, straight))
    return Counter(Example(ends(pair, left), ends(pair, right), straight) for left, right, straight in pairs)


def ends(pair: Pair, block: tuple[Span, Span]) -> tuple[str, str, str, str]:
    source, target = block
    return pair.source[source[0]], pair.source[source[-1]], pair.target[target[0]], pair.target[target[-1]]
