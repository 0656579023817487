"""Random trees to draw."""

from __future__ import annotations

from hypothesis import strategies as st


@st.composite
def heads(draw: st.DrawFn, most: int = 25) -> list[int]:
    """The heads of a random tree over up to so many words: any tree, projective or not."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    found = [-1] * n
    for k in range(1, n):
        found[order[k]] = order[draw(st.integers(0, k - 1))]
    return found


@st.composite
def projective_heads(draw: st.DrawFn, most: int = 25) -> list[int]:
    """The heads of a random projective tree."""
    n = draw(st.integers(1, most))
    found = [-1] * n

    def build(start: int, end: int, head: int) -> None:
        while start < end:
            stop = draw(st.integers(start + 1, end))
            root = draw(st.integers(start, stop - 1))
            found[root] = head
            build(start, root, root)
            build(root + 1, stop, root)
            # Further parts of the stretch are siblings, except at the top, where there is one root.
            start = stop

    top = draw(st.integers(0, n - 1))
    build(0, top, top)
    build(top + 1, n, top)
    return found
