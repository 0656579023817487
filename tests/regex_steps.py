"""How many steps a backtracking matcher takes: Python's regular expressions, followed step by step."""

from __future__ import annotations

import importlib
import itertools
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
SINGLE = ("LITERAL", "NOT_LITERAL", "ANY", "IN")
REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "WORD": lambda one: one.isalnum() or one == "_",
    "DIGIT": str.isdecimal,
    "SPACE": str.isspace,
}
#: A matcher gives up after so many steps for each character.
_MOST = 500
#: A place of the text, and how to go on from there.
_Ends = Iterator[int]
_Matcher = Callable[[int], _Ends]


class _TooManySteps(Exception):
    pass


class StepCounter:
    """Finds the matches of a pattern as Python does, and counts the steps."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        source = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
        self.tree = _parser.parse(
            source, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
        )
        self._text = ""
        self._groups: dict[int, tuple[int, int]] = {}
        self._match = self._sequence(self.tree, pattern.flags)
        self.steps = 0

    def count(self, text: str, method: str) -> int:
        """The steps that a method of the pattern takes."""
        self._text, self.steps = text, 0
        try:
            if method in ("match", "fullmatch"):
                any(method == "match" or end == len(text) for end in self._match(0))
                return self.steps
            at = 0
            while at <= len(text):
                at = max(at + 1, next(self._match(at), 0))
            return self.steps
        except _TooManySteps:
            return len(text) ** 3

    def _sequence(self, nodes: Any, flags: int) -> _Matcher:
        matchers = [self._node(str(name), given, flags) for name, given in nodes]

        def match(start: int) -> _Ends:
            if not matchers:
                yield start
                return
            open_ones = [matchers[0](start)]
            while open_ones:
                if self.steps > _MOST * (len(self._text) + 1):
                    raise _TooManySteps
                end = next(open_ones[-1], None)
                if end is None:
                    open_ones.pop()
                elif len(open_ones) == len(matchers):
                    yield end
                else:
                    open_ones.append(matchers[len(open_ones)](end))

        return match

    def _node(self, name: str, given: Any, flags: int) -> _Matcher:
        if name in SINGLE:
            return self._single(test_of(name, given, flags))
        if name in REPEATS:
            least, most, inner = given
            if len(inner) == 1 and str(inner[0][0]) in SINGLE:
                test = test_of(str(inner[0][0]), inner[0][1], flags)
                return self._run(test, least, most, name)
            return self._repeat(self._sequence(inner, flags), least, most, name)
        if name == "BRANCH":
            return self._branch([self._sequence(inner, flags) for inner in given[1]])
        if name == "SUBPATTERN":
            number, added, removed, inner = given
            return self._group(number, self._sequence(inner, (flags | added) & ~removed))
        if name == "ATOMIC_GROUP":
            inner = self._sequence(given, flags)
            return lambda start: itertools.islice(inner(start), 1)
        if name in ("ASSERT", "ASSERT_NOT"):
            back = given[1].getwidth()[0] if given[0] < 0 else 0
            return self._assertion(self._sequence(given[1], flags), back, name == "ASSERT")
        if name == "GROUPREF":
            return self._reference(given)
        assert name == "AT", name
        return self._place(str(given).removeprefix("AT_"), flags)

    def _single(self, test: Callable[[str], bool]) -> _Matcher:
        def match(start: int) -> _Ends:
            self.steps += 1
            if start < len(self._text) and test(self._text[start]):
                yield start + 1

        return match

    def _run(self, test: Callable[[str], bool], least: int, most: int, name: str) -> _Matcher:
        def match(start: int) -> _Ends:
            end, text = start, self._text
            first = start + least if name == "MIN_REPEAT" else start + most
            while end < min(first, len(text)) and test(text[end]):
                end += 1
                self.steps += 1
            self.steps += 1
            if end < start + least:
                return
            yield end
            if name == "MAX_REPEAT":
                for shorter in range(end - 1, start + least - 1, -1):
                    self.steps += 1
                    yield shorter
            while name == "MIN_REPEAT" and end < min(start + most, len(text)) and test(text[end]):
                end += 1
                self.steps += 1
                yield end

        return match

    def _repeat(self, inner: _Matcher, least: int, most: int, name: str) -> _Matcher:
        def match(start: int) -> _Ends:
            places, open_ones = [start], [inner(start)]
            if name == "MIN_REPEAT" and least == 0:
                yield start
            while open_ones:
                self.steps += 1
                end = next(open_ones[-1], None) if len(open_ones) <= most else None
                if end is None:
                    open_ones.pop()
                    place = places.pop()
                    if name != "MIN_REPEAT" and len(open_ones) >= least:
                        yield place
                        if name == "POSSESSIVE_REPEAT":
                            return
                elif end > places[-1] or len(open_ones) <= least:
                    places.append(end)
                    open_ones.append(inner(end))
                    if name == "MIN_REPEAT" and len(places) > least:
                        yield end

        return match

    def _branch(self, branches: Sequence[_Matcher]) -> _Matcher:
        def match(start: int) -> _Ends:
            for branch in branches:
                self.steps += 1
                yield from branch(start)

        return match

    def _group(self, number: int | None, inner: _Matcher) -> _Matcher:
        def match(start: int) -> _Ends:
            for end in inner(start):
                if number is not None:
                    self._groups[number] = start, end
                yield end

        return match

    def _assertion(self, inner: _Matcher, back: int, wanted: bool) -> _Matcher:
        def match(start: int) -> _Ends:
            self.steps += 1
            found = start >= back and next(inner(start - back), None) is not None
            if found == wanted:
                yield start

        return match

    def _reference(self, number: int) -> _Matcher:
        def match(start: int) -> _Ends:
            first, last = self._groups[number]
            self.steps += last - first + 1
            if self._text.startswith(self._text[first:last], start):
                yield start + last - first

        return match

    def _place(self, where: str, flags: int) -> _Matcher:
        def match(start: int) -> _Ends:
            self.steps += 1
            text = self._text
            around = text[start - 1 : start] if start else "", text[start : start + 1]
            words = [bool(one) and _CATEGORIES["WORD"](one) for one in around]
            holds = {
                "BEGINNING": start == 0 or (bool(flags & re.MULTILINE) and around[0] == "\n"),
                "BEGINNING_STRING": start == 0,
                "END": start == len(text) or text[start:] == "\n" or (bool(flags & re.MULTILINE) and around[1] == "\n"),
                "END_STRING": start == len(text),
                "BOUNDARY": words[0] != words[1],
                "NON_BOUNDARY": words[0] == words[1],
            }
            if holds[where]:
                yield start

        return match


def test_of(name: str, given: Any, flags: int) -> Callable[[str], bool]:
    """Whether a character matches a node of one character; remembered, as there are few."""
    known: dict[str, bool] = {}

    def test(one: str) -> bool:
        if one not in known:
            forms = {one, one.lower(), one.upper()} if flags & re.IGNORECASE else {one}
            known[one] = any(_is_in(name, given, form, flags) for form in forms)
        return known[one]

    return test


def _is_in(name: str, given: Any, one: str, flags: int) -> bool:
    if name == "ANY":
        return bool(flags & re.DOTALL) or one != "\n"
    if name in ("LITERAL", "NOT_LITERAL"):
        return (one == chr(given)) == (name == "LITERAL")
    if name == "RANGE":
        return given[0] <= ord(one) <= given[1]
    if name == "CATEGORY":
        kind = str(given).removeprefix("CATEGORY_")
        return _CATEGORIES[kind.removeprefix("NOT_")](one) != kind.startswith("NOT_")
    negated = str(given[0][0]) == "NEGATE"
    return any(_is_in(str(kind), value, one, flags) for kind, value in given[negated:]) != negated
