"""The tokens that are aligned to ranges of source positions, looked up in constant time: the ranges may be nested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_NONE = (1 << 62, -1)


class Hulls:
    """The first and the last token aligned to each range of source positions.

    Parameters
    ----------
    words
        The number of source positions.
    targets
        The tokens of each of them.
    """

    def __init__(self, words: int, targets: Mapping[int, Sequence[int]]) -> None:
        aligned = (targets.get(position) for position in range(words))
        #: Level k has the first and the last token for each range of 2**k positions.
        self._levels = [[(min(tokens), max(tokens)) if tokens else _NONE for tokens in aligned]]
        width = 1
        while 2 * width <= words:
            below = self._levels[-1]
            self._levels.append([_both(below[at], below[at + width]) for at in range(words - 2 * width + 1)])
            width *= 2

    def of(self, start: int, end: int) -> tuple[int, int] | None:
        """The tokens, from first to after the last, for the positions from ``start`` to before ``end``, if any."""
        if start >= end:
            return None
        level = (end - start).bit_length() - 1
        first, last = _both(self._levels[level][start], self._levels[level][end - (1 << level)])
        return (first, last + 1) if last >= 0 else None


def _both(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])
