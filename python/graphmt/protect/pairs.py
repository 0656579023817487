"""Items that correspond in a pair of sentences: only these become typed tokens in training."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from graphmt.protect.items import MARKUP, Item

_DIGITS = re.compile("[0-9]")
_NAME = re.compile(r"[\w:.-]+")


def corresponding(source: Sequence[Item], target: Sequence[Item]) -> tuple[set[int], set[int]]:
    """The numbers of the items on either side that have a counterpart on the other.

    An item without one is not a typed token, because a rule that loses or invents one would be learned from it:
    ``2 files`` with ``two files``. Numbers correspond if they have the same digits, tags if they have the same name.
    """
    if not source or not target:
        return set(), set()
    keys = [_key(item) for item in source], [_key(item) for item in target]
    common = Counter(keys[0]) & Counter(keys[1])
    return _first(keys[0], common), _first(keys[1], common)


def _first(keys: Sequence[tuple[str, str]], common: Counter[tuple[str, str]]) -> set[int]:
    left = Counter(common)
    chosen = set()
    for number, key in enumerate(keys):
        if left[key] > 0:
            left[key] -= 1
            chosen.add(number)
    return chosen


def _key(item: Item) -> tuple[str, str]:
    if item.kind == "number":
        return item.kind, "".join(_DIGITS.findall(item.text)) or item.text
    if item.kind in MARKUP and (name := _NAME.search(item.text)):
        return item.kind, name[0].lower()
    return item.kind, item.text
