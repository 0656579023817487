"""Random trees of rules to draw."""

from __future__ import annotations

import itertools

from graphmt.draw import RuleNode, TreePicture
from hypothesis import strategies as st


@st.composite
def rule_trees(draw: st.DrawFn, most: int = 25) -> TreePicture:
    """A tree as a chart makes them: every rule covers neighbouring words on both sides, holes in any order."""
    nodes: list[RuleNode] = []
    target: list[str] = []
    links: list[tuple[int, int]] = []

    def build(start: int, end: int) -> int:
        k = len(nodes)
        nodes.append(RuleNode())
        cuts = sorted(draw(st.sets(st.integers(start, end), max_size=4)) | {start, end})
        pieces = [piece for piece in itertools.pairwise(cuts) if piece != (start, end) or draw(st.booleans())]
        holes = [piece for piece in pieces if draw(st.booleans())] if len(nodes) < 60 else []
        own = [p for p in range(start, end) if not any(first <= p < last for first, last in holes)]
        places: list[int] = []
        children: list[int] = []
        for piece in [*draw(st.permutations(holes)), None]:
            # A rule without holes and without a target word leaves its source words out.
            for _ in range(draw(st.integers(0, 2))):
                places.append(len(target))
                target.append(f"t{len(target)}")
            if piece:
                children.append(build(*piece))
        if own and places:
            links.append((draw(st.sampled_from(own)), draw(st.sampled_from(places))))
        nodes[k] = RuleNode(own, places, children)
        return k

    n = draw(st.integers(1, most))
    build(0, n)
    return TreePicture([f"s{i}" for i in range(n)], target, nodes, links)


@st.composite
def scattered_trees(draw: st.DrawFn, most: int = 12) -> TreePicture:
    """A tree whose rules may have their words anywhere."""
    n, m = draw(st.integers(1, most)), draw(st.integers(0, most))
    count = draw(st.integers(1, 8))
    children: list[list[int]] = [[] for _ in range(count)]
    for k in range(1, count):
        children[draw(st.integers(0, k - 1))].append(k)
    sides = [[draw(st.integers(0, count - 1)) for _ in range(length)] for length in (n, m)]
    nodes = [
        RuleNode(*([p for p, owner in enumerate(side) if owner == k] for side in sides), children[k])
        for k in range(count)
    ]
    return TreePicture([f"s{i}" for i in range(n)], [f"t{j}" for j in range(m)], nodes)
