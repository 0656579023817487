"""Texts as sentences to translate, and the white space between them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from graphmt import _core
from graphmt.protect import GROUPS, Item, Recogniser

_LINE_END = re.compile(r"[\n\r\v\f\u2028\u2029]+")
#: The end of a sentence: its mark, closing quotes and brackets, white space before a letter, a digit or a quote. All
#: repetitions are bounded, so that the time is linear for any text.
_SENTENCE_END = re.compile(
    r"(?:[.!?…]{1,9}[\"'»«”“’)\]]{0,4}(?=\s{1,9}[\"'»«“„‘¿¡(\[]{0,4}[^\W_])|[。！？]{1,9}[”’」』）]{0,4})\s{0,9}"
)
#: A full stop after which the sentence goes on: that of an abbreviation, of one letter or of a number.
_NO_END = re.compile(
    r"\b(?:dr|mr|mrs|ms|prof|st|nr|vgl|bzw|ca|usw|evtl|ggf|inkl|etc|vs|jr|sr|fig|abb|bd|[^\W_]|\d+)\.$", re.IGNORECASE
)
#: The beginning of a word in lower case, after opening quotes.
_OPENING = re.compile(r"[\"'»«“„‘¿¡(\[]{0,4}")
#: Characters before a full stop that are looked at.
_BEFORE = 12
_WORD = re.compile(r"\w")


class Segments:
    """A text split into sentences and the rest.

    A line end always ends a sentence. Inside a line, a sentence ends at its mark unless an abbreviation, a number or a
    lower-case word suggests otherwise. Protected text is never split.

    Parameters
    ----------
    text
        The text.
    lines_only
        A line is a sentence, as on the command line.

    Examples
    --------
    >>> from graphmt.server.segments import Segments
    >>> found = Segments("Hallo! Dr. Maier ist am 3. Mai da.\\n\\nGut.")
    >>> found.sentences
    ['Hallo!', 'Dr. Maier ist am 3. Mai da.', 'Gut.']
    >>> found.joined(["Hello!", "Dr Maier is there on 3 May.", "Good."])
    'Hello! Dr Maier is there on 3 May.\\n\\nGood.'
    """

    def __init__(self, text: str, *, lines_only: bool = False) -> None:
        items = _Items(Recogniser(tuple(GROUPS)).find(text))
        #: The parts of the text: a sentence or the text between two.
        self._parts: list[tuple[str, bool]] = []
        for line in _split(text, (found.span() for found in _LINE_END.finditer(text)), items):
            start, end = line
            cuts = [] if lines_only else [(start + a, start + b) for a, b in _cuts(text[start:end])]
            for first, last in _split(text, cuts, items, start, end):
                self._add(text[first:last])

    def _add(self, part: str) -> None:
        bare = part.strip()
        if not _WORD.search(bare):
            self._parts.append((part, False))
            return
        at = part.index(bare)
        self._parts += [(part[:at], False), (bare, True), (part[at + len(bare) :], False)]

    @property
    def sentences(self) -> list[str]:
        """The sentences, in order."""
        return [part for part, is_sentence in self._parts if is_sentence]

    def joined(self, translations: Iterable[str]) -> str:
        """The text with its sentences replaced by their translations."""
        given = iter(translations)
        return "".join(next(given) if is_sentence else part for part, is_sentence in self._parts)


class _Items:
    """The places of protected items, which do not overlap."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._starts, self._ends = [one.start for one in items], [one.end for one in items]

    def are_cut_by(self, first: int, last: int) -> bool:
        """Whether an item has a part of the text from ``first`` to ``last``."""
        # That could only be the last one that begins before its end.
        before = bisect_left(self._starts, last) - 1
        return before >= 0 and self._ends[before] > first


def _cuts(line: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a line end, with the white space after them."""
    for found in _SENTENCE_END.finditer(line):
        _core.point()
        start, end = found.span()
        if line[start] == "." and _NO_END.search(line[max(0, start - _BEFORE) : start + 1]):
            continue
        opening = _OPENING.match(line, end)
        first = opening.end() if opening else end
        if line[first : first + 1].islower():
            continue
        if found.end() < len(line):
            yield found.start(), found.end()


def _split(
    text: str, cuts: Iterable[tuple[int, int]], items: _Items, start: int = 0, end: int | None = None
) -> Iterator[tuple[int, int]]:
    """The parts between cuts, each with the white space after it; protected items are not cut."""
    end = len(text) if end is None else end
    for first, last in cuts:
        if not items.are_cut_by(first, last):
            yield start, last
            start = last
    if start < end:
        yield start, end
