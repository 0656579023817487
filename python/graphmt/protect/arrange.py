"""Which item goes where in a translation, by its word alignment."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

from graphmt.protect.hulls import Hulls
from graphmt.protect.items import KIND_OF, MARKUP, Item, ProtectedLine
from graphmt.protect.nesting import arranged, is_nested, tag_tree

#: A token of the translation: a word, or the number of an item of the source.
Slot = str | int

#: The start of a repair that only places tags anew.
PLACED = "placed "


def arrange(
    tokens: Sequence[str], links: Iterable[tuple[int, int]], source: ProtectedLine
) -> tuple[list[str | Item], list[str]]:
    """The translation with every item of the source exactly once, and what had to be repaired for it.

    A typed token becomes the item that it is aligned to, or else the next one of its kind. Items without a token are
    inserted next to the translation of the words around them; tokens without an item are removed. Tags that are not
    nested as in the source are all placed anew, around the translation of the words that they enclose.
    """
    layout = _Layout(tokens, links, source)
    layout.assign()
    layout.insert_missing()
    layout.nest()
    return [one if isinstance(one, str) else source.items[one] for one in layout.slots], layout.repairs


class _Layout:
    def __init__(self, tokens: Sequence[str], links: Iterable[tuple[int, int]], source: ProtectedLine) -> None:
        self.source = source
        self.items, self.places, self.words = source.items, source.places, len(source.tokens)
        self.slots: list[Slot] = list(tokens)
        self.repairs: list[str] = []
        self.item_at = {place: number for number, place in enumerate(source.places)}
        #: The source positions of each token, and the tokens of each source position.
        self.sources: dict[int, list[int]] = defaultdict(list)
        self.targets: dict[int, list[int]] = defaultdict(list)
        for one, other in sorted(links):
            if 0 <= one < self.words and 0 <= other < len(tokens):
                self.sources[other].append(one)
                self.targets[one].append(other)

    def assign(self) -> None:
        """Replace typed tokens by the numbers of their items."""
        typed = {place: KIND_OF[token] for place, token in enumerate(self.slots) if token in KIND_OF}
        taken: set[int] = set()
        for place, kind in typed.items():
            for position in self.sources[place]:
                number = self.item_at.get(position)
                if number is not None and number not in taken and self.items[number].kind == kind:
                    self.slots[place] = number
                    taken.add(number)
                    break
        left: dict[str, deque[int]] = defaultdict(deque)
        for number, item in enumerate(self.items):
            if number not in taken:
                left[item.kind].append(number)
        removed = []
        for place, kind in typed.items():
            if isinstance(self.slots[place], str):
                if left[kind]:
                    self.slots[place] = left[kind].popleft()
                else:
                    removed.append(place)
                    self.repairs.append(f"removed {self.slots[place]}")
        for place, one in enumerate(self.slots):
            if isinstance(one, int):
                # Later steps take the item's own place for that of its source position.
                self.targets[self.places[one]] = [place]
        if removed:
            self._keep(sorted(set(range(len(self.slots))) - set(removed)))

    def insert_missing(self) -> None:
        """Insert items that have no token, except tags."""
        present = {one for one in self.slots if isinstance(one, int)}
        missing = [
            number for number, item in enumerate(self.items) if number not in present and item.kind not in MARKUP
        ]
        if not missing:
            return
        before: dict[int, list[int]] = defaultdict(list)
        for number, place in zip(missing, self._nearest([self.places[number] for number in missing]), strict=True):
            before[place].append(number)
            self.repairs.append(f"inserted {self.items[number].text}")
        self._insert(before)

    def nest(self) -> None:
        """Place all tags anew unless they are nested as in the source."""
        if not any(item.kind in MARKUP for item in self.items):
            return
        if is_nested(self.slots, self.source):
            return
        wanted = {number for number, item in enumerate(self.items) if item.kind in MARKUP}
        missing = sorted(wanted - {one for one in self.slots if isinstance(one, int)})
        said = [self.items[number].text for number in missing]
        self.repairs.append(f"{PLACED}{' '.join(said)}" if said else f"{PLACED}tags")
        own = {one: place for place, one in enumerate(self.slots) if isinstance(one, int)}
        self._keep([place for place, one in enumerate(self.slots) if isinstance(one, str) or one not in wanted], own)
        positions = [self.places[number] for number in range(len(self.items))]
        hulls = Hulls(self.words, self.targets)
        nearest = dict(zip(positions, self._nearest(positions), strict=True))

        def interval(first: int, last: int) -> tuple[int, int]:
            if first == last:
                place = own.get(first, nearest[self.places[first]])
                return place, place
            around = nearest[self.places[first]]
            return hulls.of(self.places[first] + 1, self.places[last]) or (around, around)

        before: dict[int, list[int]] = defaultdict(list)
        for number, place in arranged(tag_tree(self.items), len(self.slots), interval):
            before[place].append(number)
        self._insert(before)

    def _nearest(self, positions: Sequence[int]) -> list[int]:
        """For each source position, the token before which its translation goes: at its nearest aligned neighbour."""
        left, right = [-1] * (self.words + 1), [-1] * (self.words + 1)
        for position in range(self.words):
            left[position + 1] = position if self.targets.get(position) else left[position]
        for position in reversed(range(self.words)):
            right[position] = position if self.targets.get(position) else right[position + 1]
        found = []
        for position in positions:
            before, after = left[position], right[position]
            if after >= 0 and (before < 0 or after - position < position - before):
                found.append(min(self.targets[after]))
            else:
                found.append(max(self.targets[before]) + 1 if before >= 0 else len(self.slots))
        return found

    def _keep(self, kept: Sequence[int], own: dict[int, int] | None = None) -> None:
        """Keep some tokens; ``own`` has places by item, which change with them."""
        moved = {place: new for new, place in enumerate(kept)}
        if own is not None:
            following, shifted = len(kept), {}
            for place in reversed(range(len(self.slots))):
                following = moved.get(place, following)
                shifted[place] = following
            own.update({number: shifted[place] for number, place in own.items()})
        self.slots = [self.slots[place] for place in kept]
        self.targets = defaultdict(list, {s: [moved[t] for t in ts if t in moved] for s, ts in self.targets.items()})

    def _insert(self, before: dict[int, list[int]]) -> None:
        """Insert items before tokens."""
        made: list[Slot] = []
        moved = {}
        for place in range(len(self.slots) + 1):
            made += before.get(place, [])
            if place < len(self.slots):
                moved[place] = len(made)
                made.append(self.slots[place])
        self.slots = made
        self.targets = defaultdict(list, {s: [moved[t] for t in ts] for s, ts in self.targets.items()})
        for place, one in enumerate(self.slots):
            if isinstance(one, int):
                self.targets[self.places[one]] = [place]
