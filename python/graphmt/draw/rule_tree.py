"""A synchronous derivation as a tree of rules: the symbols on each side of a rule, in order."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from graphmt import _core
from graphmt.draw.palette import Shade, shade
from graphmt.errors import InputError
from graphmt.reprs import counted, shortened

#: Fill and line of rules without own words, which only combine others.
JOINING = Shade("#eceff2", "#52606d")
#: Marks a rule that reorders its holes.
REORDERED = "⇄"


@dataclass(frozen=True)
class RuleNode:
    """An applied rule: its own words on both sides (positions from 0), and the nodes in its holes.

    Examples
    --------
    >>> from graphmt.draw import RuleNode
    >>> RuleNode([0, 2], [0], children=[1]).children
    [1]
    """

    source: Sequence[int] = ()
    target: Sequence[int] = ()
    #: The nodes in the holes, by number from 0, in target order.
    children: Sequence[int] = ()
    #: Its kind, such as ``rule`` or ``glue``, and its mark.
    kind: str = "rule"
    mark: str = ""
    #: The label of each child's hole on the source side; empty or ``X`` without a label.
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class Symbol:
    """A part of one side of a rule: neighbouring words of its own, or a hole."""

    #: The words; empty for a hole.
    words: tuple[int, ...] = ()
    #: The node that fills the hole.
    child: int = -1


#: The span of a node that covers no words.
_NOTHING = (0, -1)


@dataclass(frozen=True)
class Side:
    """One side of a tree: for each node its symbols in order, the first and last word below it, and its level.

    A node is above those in its holes, and no two nodes of a level cover a word in common. The lowest level is 1. Nodes
    that cover nothing on this side have the level 0.
    """

    symbols: tuple[tuple[Symbol, ...], ...]
    spans: tuple[tuple[int, int], ...]
    children: tuple[tuple[int, ...], ...]

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The level of each node. Only pictures need them."""
        found = [0] * len(self.spans)
        #: The spans of each level, which do not meet, in order.
        taken: list[list[tuple[int, int]]] = [[]]
        for k in reversed(range(len(found))):
            _core.point()
            span = self.spans[k]
            if span == _NOTHING:
                continue
            level = 1 + max((found[child] for child in self.children[k]), default=0)
            while level < len(taken) and _meets(span, taken[level]):
                level += 1
            if level == len(taken):
                taken.append([])
            insort(taken[level], span)
            found[k] = level
        return tuple(found)

    @property
    def height(self) -> int:
        """The highest level."""
        return max(self.levels, default=0)

    def covers(self, k: int) -> bool:
        """Whether a node has words on this side, its own or in its holes."""
        return self.spans[k] != _NOTHING

    def drawn(self, k: int) -> list[Symbol]:
        """The symbols of a node without the holes that cover nothing."""
        return [symbol for symbol in self.symbols[k] if symbol.words or self.covers(symbol.child)]

    def owners(self, n: int) -> list[int]:
        """For each of the words the node that it belongs to, or -1."""
        found = [-1] * n
        for k, symbols in enumerate(self.symbols):
            for symbol in symbols:
                for position in symbol.words:
                    found[position] = k
        return found


@dataclass(frozen=True)
class RuleTree:
    """Source words, target words, and the rules between them; checked when made.

    Parameters
    ----------
    words
        The source words.
    target
        The target words.
    nodes
        Rules, parents before their children; those without a parent are tops.
    alignment
        Pairs (source position, target position).
    title
        For screen readers; by default made from the rules.
    description
        The same at length.

    Examples
    --------
    >>> from graphmt.draw import RuleNode, RuleTree
    >>> RuleTree(["er", "schläft"], ["he", "sleeps"], [RuleNode([1], [1], [1]), RuleNode([0], [0])])
    RuleTree('er schläft', 2 rules)
    """

    words: Sequence[str]
    target: Sequence[str]
    nodes: Sequence[RuleNode]
    alignment: Iterable[tuple[int, int]] = ()
    title: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "alignment", tuple(sorted(set(self.alignment))))
        for name, words in (("source", self.words), ("target", self.target)):
            seen: set[int] = set()
            for k, node in enumerate(self.nodes):
                for position in getattr(node, name):
                    if not 0 <= position < len(words) or position in seen:
                        many = "is in two rules" if position in seen else f"is none of {len(words)} words"
                        raise InputError(f"{name} position {position} of rule {k + 1} {many}.")
                    seen.add(position)
        children: set[int] = set()
        for k, node in enumerate(self.nodes):
            for child in node.children:
                if not k < child < len(self.nodes) or child in children:
                    raise InputError(
                        f"rule {k + 1} has the child {child + 1}.",
                        hint="Children come after their parent, and each has one parent.",
                    )
                children.add(child)
        for i, j in self.links:
            if not (0 <= i < len(self.words) and 0 <= j < len(self.target)):
                raise InputError(f"an alignment holds ({i}, {j}) with {len(self.words)} and {len(self.target)} words.")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shortened(' '.join(self.words))!r}, {counted(len(self.nodes), 'rule')})"

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """The alignment, ascending."""
        return tuple(self.alignment)

    @cached_property
    def source_side(self) -> Side:
        """The rules in source order."""
        return _side([node.source for node in self.nodes], [node.children for node in self.nodes])

    @cached_property
    def target_side(self) -> Side:
        """The rules in target order."""
        return _side([node.target for node in self.nodes], [node.children for node in self.nodes])

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """How many rules are above each."""
        found = [0] * len(self.nodes)
        for k, node in enumerate(self.nodes):
            for child in node.children:
                found[child] = found[k] + 1
        return tuple(found)

    def holes(self, k: int) -> list[int]:
        """The nodes in a rule's holes in source order, which numbers the holes."""
        return [symbol.child for symbol in self.source_side.symbols[k] if not symbol.words]

    def is_reordered(self, k: int) -> bool:
        """Whether a rule's holes are in another order in the target."""
        return self.holes(k) != [symbol.child for symbol in self.target_side.symbols[k] if not symbol.words]

    def label(self, k: int) -> str:
        """The number of a rule, from 1, and its mark."""
        return f"{k + 1}{REORDERED if self.is_reordered(k) else ''}{self.nodes[k].mark}"

    def shade(self, k: int) -> Shade:
        """The colours of a rule: those with words of their own take the palette in turn."""
        return self._shades[k]

    @cached_property
    def _shades(self) -> tuple[Shade, ...]:
        found, used = [], 0
        for node in self.nodes:
            own = bool(node.source or node.target)
            found.append(shade(used) if own else JOINING)
            used += own
        return tuple(found)

    def written(self, k: int, hole: Callable[[int], str] | None = None) -> tuple[str, str]:
        """Both sides of a rule, as ``im [1] mit [2]`` and ``in the [1] with [2]``; where holes have labels
        ``im [NOUN 1]``.

        ``hole`` gives another name to a hole by the node that fills it.
        """
        numbers = {child: str(number) for number, child in enumerate(self.holes(k), 1)}
        node = self.nodes[k]
        labels = {child: f"{label} " for child, label in zip(node.children, node.labels, strict=False) if label != "X"}

        def line(words: Sequence[str], symbols: Iterable[Symbol], labels: Mapping[int, str]) -> str:
            name = hole or (lambda child: f"[{labels.get(child, '')}{numbers[child]}]")
            return " ".join(" ".join(words[p] for p in s.words) if s.words else name(s.child) for s in symbols)

        source, target = self.source_side.symbols[k], self.target_side.symbols[k]
        return line(self.words, source, labels), line(self.target, target, {})

    def in_words(self) -> str:
        """A description of the whole tree, with holes named by the rules in them."""
        said = []
        for k, node in enumerate(self.nodes):
            source, target = self.written(k, lambda child: f"[step {child + 1}]")
            said.append(f"step {k + 1}, {node.kind}: {source} = {target}")
        return "; ".join(said)


def _side(own: Sequence[Sequence[int]], children: Sequence[Sequence[int]]) -> Side:
    """Bottom up: children follow their parents, so iterating backwards visits them first."""
    symbols: list[tuple[Symbol, ...]] = [()] * len(own)
    spans = [_NOTHING] * len(own)
    for k in reversed(range(len(own))):
        ordered = [((position, position), -1) for position in own[k]]
        before = (-1, -1)
        for child in children[k]:
            # A child without words on this side stays next to the previous one.
            before = (before[1], before[1]) if spans[child] == _NOTHING else spans[child]
            ordered.append((before, child))
        ordered.sort(key=lambda part: part[0])
        symbols[k] = _joined([(place[0], child) for place, child in ordered])
        covered = [place for place, child in ordered if child < 0 or spans[child] != _NOTHING]
        if covered:
            spans[k] = covered[0][0], max(last for _, last in covered)
    return Side(tuple(symbols), tuple(spans), tuple(map(tuple, children)))


def _meets(span: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    """Whether a span has a word in common with one of others, which do not meet each other and are in order."""
    # The last one that begins at its end or before.
    before = bisect_right(others, span[1], key=itemgetter(0)) - 1
    return before >= 0 and others[before][1] >= span[0]


def _joined(parts: Iterable[tuple[int, int]]) -> tuple[Symbol, ...]:
    """Neighbouring words become one symbol."""
    found: list[Symbol] = []
    for position, child in parts:
        if child >= 0:
            found.append(Symbol(child=child))
        elif found and found[-1].words and found[-1].words[-1] == position - 1:
            found[-1] = Symbol((*found[-1].words, position))
        else:
            found.append(Symbol((position,)))
    return tuple(found)
