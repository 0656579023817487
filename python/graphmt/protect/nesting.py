"""Tags of a translation: paired and nested as in the source."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

from graphmt.protect.items import MARKUP, Item, ProtectedLine


@dataclasses.dataclass
class Node:
    """A pair of tags, or a single tag, with the target interval that it should have."""

    #: The numbers of its tags among the items of the source; the same for a single tag.
    first: int
    last: int
    start: int = 0
    end: int = 0
    children: list[Node] = dataclasses.field(default_factory=list)


def tag_tree(items: Sequence[Item]) -> list[Node]:
    """The tags of a source line as trees, in order."""
    roots: list[Node] = []
    opened: list[Node] = []
    for number, item in enumerate(items):
        if item.kind not in MARKUP:
            continue
        if item.kind == "close":
            opened.pop()
            continue
        node = Node(number, item.partner if item.kind == "open" else number)
        (opened[-1].children if opened else roots).append(node)
        if item.kind == "open":
            opened.append(node)
    return roots


def parents(items: Sequence[Item]) -> list[int]:
    """The number of the opening tag of the innermost pair around each item of a source line; -1 outside all pairs."""
    found: list[int] = []
    opened: list[int] = []
    for number, item in enumerate(items):
        if item.kind == "close":
            opened.pop()
        found.append(opened[-1] if opened else -1)
        if item.kind == "open":
            opened.append(number)
    return found


def is_nested(slots: Sequence[str | int], source: ProtectedLine) -> bool:
    """Whether the tags of a translation (words, and numbers of items) are paired and nested as in the source.

    Every other item must be inside the same pair, and a pair around words must not become empty.
    """
    items, parent = source.items, parents(source.items)
    opened: list[int] = []
    seen, before = 0, -1
    for one in slots:
        if isinstance(one, int):
            kind = items[one].kind
            if kind == "close":
                partner = items[one].partner
                if not opened or opened.pop() != partner:
                    return False
                if before == partner and source.places[one] > source.places[partner] + 1:
                    return False
            if parent[one] != (opened[-1] if opened else -1):
                return False
            if kind == "open":
                opened.append(one)
            seen += 1
        before = one if isinstance(one, int) else -1
    return not opened and seen == len(items)


def arranged(
    roots: list[Node], length: int, interval: Callable[[int, int], tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Places of all tags in a translation of ``length`` tokens: (number, token before which it goes), in order.

    ``interval`` gives the tokens that a pair should enclose, or where a single tag should go. An interval is cut where
    it would cross the pair around it or the one before it.
    """
    # An explicit stack: tags may be nested more deeply than Python recurses.
    waiting: list[tuple[Node, int, int] | tuple[int, int]] = []

    def push(nodes: list[Node], start: int, end: int) -> None:
        for node in nodes:
            node.start, node.end = interval(node.first, node.last)
        at, placed = start, []
        for node in sorted(nodes, key=lambda node: (node.start, node.first)):
            first = min(max(node.start, at), end)
            at = min(max(node.end, first), end)
            placed.append((node, first, at))
        waiting.extend(reversed(placed))

    push(roots, 0, length)
    while waiting:
        one = waiting.pop()
        if len(one) == 2:
            yield one
            continue
        node, first, last = one
        yield node.first, first
        if node.last != node.first:
            waiting.append((node.last, last))
            push(node.children, first, last)
