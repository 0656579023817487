"""Texts on which a regular expression could take long, derived from the expression."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from regex_steps import REPEATS, SINGLE, test_of

#: Characters of every kind; those that the expression names are tried as well.
_KINDS = "a0_ \n!.é"
#: Repeats of at least so many times can take long.
_MANY = 30
#: The most variants of a part of a text.
_MOST = 4


def attacks(tree: Any, flags: int) -> list[tuple[str, str]]:
    """Beginning and repeated part of each text."""
    letters = "".join(dict.fromkeys(_named(tree))) + _KINDS
    found: dict[tuple[str, str], None] = {}
    for before, body in _Texts(letters, flags).pumps(tree, [""]):
        found[before, body] = None
        found["", before + body] = None
    return list(found)


def _named(nodes: Any) -> Iterator[str]:
    """The characters that an expression names."""
    for part in nodes:
        if isinstance(part, tuple) and len(part) == 2 and str(part[0]) in ("LITERAL", "NOT_LITERAL"):
            yield chr(part[1])
        elif isinstance(part, tuple) and len(part) == 2 and str(part[0]) == "RANGE":
            yield chr(part[1][0])
        elif isinstance(part, Sequence) and not isinstance(part, str):
            yield from _named(part)
        elif hasattr(part, "data"):
            yield from _named(part.data)


class _Texts:
    def __init__(self, letters: str, flags: int) -> None:
        self._letters, self._flags = letters, flags

    def pumps(self, nodes: Any, before: list[str]) -> Iterator[tuple[str, str]]:
        """A beginning and a part for each repeat in an expression, by which it could be reached."""
        for name, given in nodes:
            for inner in _inside(str(name), given):
                yield from self.pumps(inner, before)
                if str(name) in REPEATS and given[1] >= _MANY:
                    yield from itertools.product(before[:2], filter(None, self.samples(inner)))
            after = [one + more for one, more in itertools.product(before, self._sample(str(name), given))]
            before = list(dict.fromkeys(after))[:_MOST]

    def samples(self, nodes: Any) -> list[str]:
        """Texts that an expression matches."""
        found = [""]
        for name, given in nodes:
            found = [one + more for one, more in itertools.product(found, self._sample(str(name), given))][:_MOST]
        return found

    def _sample(self, name: str, given: Any) -> list[str]:
        if name in SINGLE:
            test = test_of(name, given, self._flags)
            return [one for one in dict.fromkeys(self._letters) if test(one)][:_MOST] or [""]
        if name in REPEATS:
            one = self.samples(given[2])
            return [part * max(given[0], 1) for part in one] + ([""] if given[0] == 0 else [])
        if name == "BRANCH":
            return [one for branch in zip(*map(self.samples, given[1]), strict=False) for one in branch]
        inner = _inside(name, given)
        return self.samples(inner[0]) if name in ("SUBPATTERN", "ATOMIC_GROUP") else [""]


def _inside(name: str, given: Any) -> list[Any]:
    if name in REPEATS:
        return [given[2]]
    if name == "BRANCH":
        return list(given[1])
    if name == "SUBPATTERN":
        return [given[3]]
    if name == "ATOMIC_GROUP":
        return [given]
    return [given[1]] if name in ("ASSERT", "ASSERT_NOT") else []
