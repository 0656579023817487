"""Finding protected items in a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from graphmt import _core
from graphmt.errors import OptionError
from graphmt.options import nearest
from graphmt.protect.items import GROUPS, Item
from graphmt.protect.patterns import BRACED, TRAILING, compiled

_CLOSING = {")": "(", "]": "[", "}": "{"}
_NAME = re.compile(r"</?([A-Za-z][\w:.-]*|[0-9]+)")
_HAS_WORD = re.compile(r"\w")
#: A line without any of these has no items, except those of the user's patterns.
_POSSIBLE = re.compile("[0-9%<&{$@/\\\\.:\u27e8\ue000-\uf8ff\ufdd0-\ufdef\U000f0000-\U0010ffff]")


class Recogniser:
    """Finds the items of a line that must not change.

    Parameters
    ----------
    groups
        The groups to protect, of :data:`graphmt.protect.GROUPS`; by default all.
    patterns
        Regular expressions of your own; they go before the built-in kinds.
    whole_tokens
        Find only items that are whole tokens, for text that is tokenised already.

    Raises
    ------
    OptionError
        If a group is unknown, or a pattern is not a regular expression or matches the empty string.

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
        self._builtin = _compiled(self.groups)
        self._own = [_own(pattern) for pattern in patterns]

    def __repr__(self) -> str:
        own = f", {list(self.patterns)!r}" if self.patterns else ""
        return f"Recogniser({self.groups!r}{own})"

    def find(self, line: str) -> list[Item]:
        """The items of a line, in order; they do not overlap."""
        if not self._own and not _POSSIBLE.search(line):
            return []
        found: list[tuple[int, int, str]] = []
        own = [pattern.search(line) for pattern in self._own]
        braces: dict[int, int] | None = None
        at = 0
        following = self._builtin.search(line)
        while True:
            _core.point()
            for number, match in enumerate(own):
                while match is not None and (match.start() < at or match.start() == match.end()):
                    match = self._own[number].search(line, max(at, match.start() + (match.start() == match.end())))
                own[number] = match
            first = min((match for match in own if match is not None), key=lambda match: match.start(), default=None)
            if following is not None and following.start() < at:
                following = self._builtin.search(line, at)
            if first is not None and (following is None or first.start() <= following.start()):
                found.append((first.start(), first.end(), "pattern"))
                at = first.end()
                continue
            if following is None:
                break
            kind, start, end = str(following.lastgroup), following.start(), following.end()
            if kind == "brace":
                braces = _balanced(line) if braces is None else braces
                kind, end = "variable", _braced(line, end - 1, braces)
            elif kind in ("url", "path"):
                end = self._trimmed(line, start, end)
            if end > start:
                found.append((start, end, kind))
                at = end
            else:
                at = following.start() + 1
                following = self._builtin.search(line, at)
        if self.whole_tokens:
            found = [(start, end, kind) for start, end, kind in found if _is_token(line, start, end)]
        return _items(line, found)

    def _trimmed(self, line: str, start: int, end: int) -> int:
        """The end of an address without the punctuation after it; ``start`` if the rest is not an address."""
        shorter = _trimmed(line, start, end)
        if shorter == end:
            return end
        again = self._builtin.match(line[start:shorter])
        return shorter if again is not None and again.end() == shorter - start else start


def _is_token(line: str, start: int, end: int) -> bool:
    return (start == 0 or line[start - 1] == " ") and line[end : end + 1] in ("", " ") and " " not in line[start:end]


@lru_cache
def _compiled(groups: tuple[str, ...]) -> re.Pattern[str]:
    return compiled(groups)


def _own(pattern: str) -> re.Pattern[str]:
    try:
        made = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise OptionError(f"a protected pattern is not a regular expression: {error} ({pattern[:80]!r}).") from None
    if made.match("") is not None:
        raise OptionError(f"a protected pattern matches the empty string ({pattern[:80]!r}).")
    return made


def _balanced(line: str) -> dict[int, int]:
    """The end of the form that each opening brace starts; unbalanced ones are missing."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for at, character in enumerate(line):
        if character == "{":
            opened.append(at)
        elif character == "}" and opened:
            ends[opened.pop()] = at + 1
    return ends


def _braced(line: str, brace: int, ends: dict[int, int]) -> int:
    end = ends.get(brace, 0)
    return end if end and BRACED.fullmatch(line, brace, end) else 0


def _trimmed(line: str, start: int, end: int) -> int:
    """The end of an address without the punctuation of the sentence around it."""
    text = line[start:end]
    excess = {last: text.count(last) - text.count(first) for last, first in _CLOSING.items()}
    length = len(text)
    while length:
        last = text[length - 1]
        if last not in TRAILING and excess.get(last, 0) <= 0:
            break
        if last in excess:
            excess[last] -= 1
        length -= 1
    # Without a word, only a scheme or a root is left.
    return start + length if _HAS_WORD.search(text, 0, length) else start


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
