"""Spaces around the items of a translation, as in the source."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from graphmt.protect.items import Item, ProtectedLine
from graphmt.protect.marks import AS_WORD, MARK, marked_output

_UNSPACED = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def rendered(
    tokens: Sequence[str | Item],
    source: ProtectedLine,
    capitalise: Callable[[str], str],
    detokenise: Callable[[str], str],
    apart: Collection[int] = (),
) -> tuple[str, list[tuple[int, int]]]:
    """The text of a translation, and where its items are in it; those with numbers in ``apart`` get spaces around them.

    Between words the detokeniser decides. Next to an item, the source does where the neighbours are alike.
    """
    items = [one for one in tokens if not isinstance(one, str)]
    line = capitalise(marked_output(tokens)).replace(AS_WORD, MARK)
    parts = detokenise(line).split(MARK)
    if len(parts) != len(items) + 1:
        parts = line.split(MARK)
    numbers = {item: number for number, item in enumerate(source.items)}
    made: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0

    def write(text: str) -> None:
        nonlocal length
        made.append(text)
        length += len(text)

    for at, part in enumerate(parts):
        inner = part.strip(" ")
        left = items[at - 1] if at else None
        right = items[at] if at < len(items) else None
        forced = (at - 1 in apart, at in apart)
        if not inner:
            if left is not None and right is not None:
                gap = _between(left, right, source, numbers, bool(part))
                write(gap or (" " if any(forced) else ""))
        else:
            if left is not None:
                write(" " if forced[0] or _spaced(left, "after", inner[0], part[0] == " ") else "")
            write(inner)
            if right is not None:
                write(" " if forced[1] or _spaced(right, "before", inner[-1], part[-1] == " ") else "")
        if right is not None:
            spans.append((length, length + len(right.text)))
            write(right.text)
    return "".join(made), spans


def _between(left: Item, right: Item, source: ProtectedLine, numbers: dict[Item, int], usual: bool) -> str:
    """The space between two items without a word between them."""
    if numbers[right] == numbers[left] + 1:
        gap = source.line[left.end : right.start]
        if not gap or gap.isspace():
            return gap
    if left.kind == "open" or right.kind == "close":
        return ""
    return " " if usual else ""


def _spaced(item: Item, side: str, neighbour: str, usual: bool) -> bool:
    """Whether a space separates an item from a character of the translation."""
    was = item.before if side == "before" else item.after
    if _UNSPACED.match(neighbour):
        return False
    if (item.kind, side) in (("open", "after"), ("close", "before")):
        return was.isspace()
    if was.isspace():
        return usual or neighbour.isalnum()
    if was and (was == neighbour or (was.isalnum() and neighbour.isalnum() and not _UNSPACED.match(was))):
        return False
    return usual
