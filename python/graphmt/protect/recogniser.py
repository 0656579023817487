"""Finding protected items in a line."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

from graphmt import _core
from graphmt.errors import OptionError
from graphmt.options import nearest
from graphmt.protect.items import GROUPS, Item

_NAME = re.compile(r"</?([A-Za-z][\w:.-]*|[0-9]+)")
#: What no text in UTF-8 contains.
_SURROGATE = re.compile("[\ud800-\udfff]")


class Recogniser:
    """Finds the items of a line that must not change.

    Parameters
    ----------
    groups
        The groups to protect, of :data:`graphmt.protect.GROUPS`; by default all.
    patterns
        Regular expressions of your own, in the syntax of Rust's ``regex`` crate: without look-around and
        back-references. They go before the built-in kinds, and match up to 1,000 characters.
    whole_tokens
        Find only items that are whole tokens, for text that is tokenised already.

    Raises
    ------
    OptionError
        If a group is unknown, or a pattern is not such an expression or matches the empty string.

    Examples
    --------
    >>> from graphmt.protect import Recogniser
    >>> Recogniser().find("Save <b>%s</b> to /tmp?")
    [Item('<b>', 'open'), Item('%s', 'variable'), Item('</b>', 'close'), Item('/tmp', 'path')]
    >>> Recogniser(("numbers",), ["[A-Z]+-[0-9]+"]).find("See ABC-12, page 5.")
    [Item('ABC-12', 'pattern'), Item('5', 'number')]
    """

    def __init__(
        self, groups: Sequence[str] = tuple(GROUPS), patterns: Sequence[str] = (), *, whole_tokens: bool = False
    ) -> None:
        for group in groups:
            if group not in GROUPS:
                raise OptionError(f"unknown kind of protected text {group!r}{nearest(group, GROUPS)}.")
        self.groups, self.patterns, self.whole_tokens = tuple(groups), tuple(patterns), whole_tokens
        self._scanner = _scanner(self.groups, self.patterns)

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(Recogniser, whole_tokens=self.whole_tokens), (self.groups, self.patterns)

    def __repr__(self) -> str:
        own = f", {list(self.patterns)!r}" if self.patterns else ""
        return f"Recogniser({self.groups!r}{own})"

    def find(self, line: str) -> list[Item]:
        """The items of a line, in order; they do not overlap."""
        _core.point()
        try:
            found = self._scanner.find(line)
        except UnicodeEncodeError:
            found = self._scanner.find(_SURROGATE.sub("\ufffd", line))
        if self.whole_tokens:
            found = [(start, end, kind) for start, end, kind in found if _is_token(line, start, end)]
        return _items(line, found)


def _is_token(line: str, start: int, end: int) -> bool:
    return (start == 0 or line[start - 1] == " ") and line[end : end + 1] in ("", " ") and " " not in line[start:end]


@functools.lru_cache
def _scanner(groups: tuple[str, ...], patterns: tuple[str, ...]) -> _core.ItemScanner:
    try:
        return _core.ItemScanner(groups, patterns)
    except UnicodeEncodeError:
        raise OptionError(f"a protected pattern is not valid Unicode ({patterns!a}).") from None


def _items(line: str, found: Sequence[tuple[int, int, str]]) -> list[Item]:
    partners = _partners(line, found)
    items = []
    for number, (start, end, kind) in enumerate(found):
        touches_left = number > 0 and found[number - 1][1] == start
        touches_right = number + 1 < len(found) and found[number + 1][0] == end
        if number in partners:
            kind = "open" if partners[number] > number else "close"
        items.append(
            Item(
                line[start:end],
                kind,
                start,
                end,
                "" if touches_left else line[max(0, start - 1) : start],
                "" if touches_right else line[end : end + 1],
                partners.get(number, -1),
            )
        )
    return items


def _partners(line: str, found: Sequence[tuple[int, int, str]]) -> dict[int, int]:
    """The number of the matching tag for every tag that has one; crossing tags have none."""
    partners: dict[int, int] = {}
    opened: list[tuple[str, int]] = []
    #: How many open tags have each name: a closing tag without an opening one closes nothing.
    names: dict[str, int] = {}
    for number, (start, end, kind) in enumerate(found):
        name = _NAME.match(line, start, end) if kind == "tag" else None
        if name is None or line[end - 2] == "/":
            continue
        if line[start + 1] != "/":
            opened.append((name[1], number))
            names[name[1]] = names.get(name[1], 0) + 1
        elif names.get(name[1]):
            while opened:
                above, other = opened.pop()
                names[above] -= 1
                if above == name[1]:
                    partners[number], partners[other] = other, number
                    break
    return partners
