"""The content of a picture: the words of a sentence, the links between them, and their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graphmt.draw.palette import Shade, shade
from graphmt.errors import InputError
from graphmt.reprs import counted, shortened


@dataclass(frozen=True)
class Group:
    """Words that belong together (a segment, a rule's source side), anywhere in the sentence.

    Without a colour, groups take those of the palette in turn.

    Parameters
    ----------
    positions
        Positions of the words, from 0.
    colour
        Any SVG colour.
    label
        A text below the words; by default the group's number, from 1.
    target
        Positions of its translation in the target.

    Examples
    --------
    >>> from graphmt.draw import Group
    >>> Group({1, 5}, label="X1").label
    'X1'
    """

    positions: frozenset[int]
    colour: str | None = None
    label: str = ""
    target: frozenset[int] = frozenset()

    def __init__(
        self, positions: Iterable[int], colour: str | None = None, label: str = "", target: Iterable[int] = ()
    ) -> None:
        object.__setattr__(self, "positions", frozenset(positions))
        object.__setattr__(self, "colour", colour)
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "target", frozenset(target))


@dataclass(frozen=True, order=True)
class Arc:
    """A dependency: positions counted from 0."""

    left: int
    right: int
    head: int = field(compare=False)
    label: str = field(default="", compare=False)

    @property
    def dependent(self) -> int:
        """The end that the arrow points at."""
        return self.left if self.head == self.right else self.right


@dataclass(frozen=True)
class Scene:
    """Everything a picture shows; checked when made.

    It is checked when made.

    Parameters
    ----------
    words
        The sentence.
    heads
        The position of each word's head, from 0, or -1 for a root; empty where there is no tree.
    deprels
        The relation of each word to its head.
    upos
        The part of speech of each word.
    bigram_links
        True for a link between all neighbours, or pairs of positions; drawn as dotted lines.
    groups
        Words to box and colour, with their translations; a word of several groups takes the colour of the first.
    contexts
        Links (word, other word) that a rule needs for its context, drawn in the colour of the word's group.
    target
        The words of a translation, drawn below.
    alignment
        Links (source, target) to it, drawn as lines.
    possible
        Possible links, drawn as dashed lines.
    title
        For screen readers; by default the words.
    description
        The same at length.

    Examples
    --------
    >>> from graphmt.draw import Scene
    >>> Scene(["Er", "schläft"], [1, -1], groups=[{0}])
    Scene('Er schläft', 2 words)
    """

    words: Sequence[str]
    heads: Sequence[int]
    deprels: Sequence[str] = ()
    upos: Sequence[str] = ()
    bigram_links: bool | Iterable[tuple[int, int]] = False
    groups: Sequence[Group | Iterable[int]] = ()
    contexts: Iterable[tuple[int, int]] = ()
    target: Sequence[str] = ()
    alignment: Iterable[tuple[int, int]] = ()
    possible: Iterable[tuple[int, int]] = ()
    title: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        n = len(self.words)
        for name in ("heads", "deprels", "upos"):
            values = getattr(self, name)
            if values and len(values) != n:
                raise InputError(f"{n} words but {len(values)} {name}: a picture needs one for each word.")
        for i, head in enumerate(self.heads):
            if not -1 <= head < n or head == i:
                raise InputError(
                    f"word {i} ({self.words[i]!r}) has the head {head}.",
                    hint=f"A head is the position of another word, from 0 to {n - 1}, or -1 for a root.",
                )
        links = self.bigram_links
        if links is True:
            links = [(i, i + 1) for i in range(n - 1)]
        groups = [g if isinstance(g, Group) else Group(g) for g in self.groups]
        # Iterables are read once, here, so that a scene can be drawn many times.
        object.__setattr__(self, "bigram_links", tuple(links or ()))
        object.__setattr__(self, "groups", tuple(groups))
        object.__setattr__(self, "contexts", tuple(sorted(set(self.contexts))))
        object.__setattr__(self, "alignment", tuple(sorted(set(self.alignment))))
        object.__setattr__(self, "possible", tuple(sorted(set(self.possible) - set(self.alignment))))
        self._check("a bigram link", self.pairs, n, n)
        self._check("a group", ((i, i) for group in groups for i in group.positions), n, n)
        self._check("a context", self.contexts, n, n)
        m = len(self.target)
        self._check("a group's translation", ((j, j) for group in groups for j in group.target), m, m)
        self._check("an alignment", (*self.alignment, *self.possible), n, len(self.target))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shortened(' '.join(self.words))!r}, {counted(len(self.words), 'word')})"

    @staticmethod
    def _check(what: str, pairs: Iterable[tuple[int, int]], n: int, m: int) -> None:
        for i, j in pairs:
            if not (0 <= i < n and 0 <= j < m):
                if what.startswith("a group"):
                    raise InputError(f"{what} contains position {i}, but there are only {n} words.")
                raise InputError(f"{what} contains ({i}, {j}), but there are only {n} words and {m} on the other side.")

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The bigram links as pairs."""
        return tuple(self.bigram_links) if not isinstance(self.bigram_links, bool) else ()

    @property
    def arcs(self) -> list[Arc]:
        """The dependencies, in the order of their dependents."""
        labels = self.deprels or [""] * len(self.words)
        return [Arc(min(i, head), max(i, head), head, labels[i]) for i, head in enumerate(self.heads) if head >= 0]

    @property
    def roots(self) -> list[int]:
        """The words without a head."""
        return [i for i, head in enumerate(self.heads) if head < 0]

    def group_of(self, i: int) -> int | None:
        """The first group that contains a word."""
        return next((k for k, group in enumerate(self._groups) if i in group.positions), None)

    def group_of_target(self, j: int) -> int | None:
        """The first group whose translation contains a target word."""
        return next((k for k, group in enumerate(self._groups) if j in group.target), None)

    def shade(self, k: int) -> Shade:
        """The colours of a group."""
        colour = self._groups[k].colour
        return Shade(colour, "#444444") if colour else shade(k)

    def label(self, k: int) -> str:
        """The label of a group, or its number."""
        return self._groups[k].label or str(k + 1)

    @property
    def _groups(self) -> tuple[Group, ...]:
        return tuple(group for group in self.groups if isinstance(group, Group))
