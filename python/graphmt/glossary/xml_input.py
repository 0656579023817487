"""Translations of spans marked in the input itself, in Moses' notation: ``<n translation="…">words</n>``."""

from __future__ import annotations

import dataclasses
import html
import itertools
import math
import re
from collections.abc import Sequence

from graphmt.errors import InputError
from graphmt.glossary.matching import SentenceTerm, TermPreparer
from graphmt.protect import ProtectedLine

#: Moses' names for the use of marked translations.
XML_INPUT = {"exclusive": "required", "inclusive": "preferred"}

#: An element with attributes; those without a translation are text.
_START = re.compile(r"""<([A-Za-z][\w.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))+)\s*(/?)>""")
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
#: The attribute with the translation; Moses accepts both.
_TRANSLATION = ("translation", "english")
_SEPARATOR = "||"


@dataclasses.dataclass(frozen=True)
class Mark:
    """A marked span of a text, with its translations and their probabilities."""

    start: int
    end: int
    translations: tuple[tuple[str, float], ...]


@dataclasses.dataclass(frozen=True)
class MarkedText:
    """A text without its markup, and the spans that were marked.

    Examples
    --------
    >>> from graphmt.glossary import read_markup
    >>> made = read_markup('ein <n translation="small||little" prob="0.7||0.3">kleines</n> Haus')
    >>> made.text
    'ein kleines Haus'
    >>> made.marks[0].translations
    (('small', 0.7), ('little', 0.3))
    """

    text: str
    marks: tuple[Mark, ...] = ()

    def terms(
        self, tokens: Sequence[str], line: ProtectedLine, preparer: TermPreparer, usage: str
    ) -> list[SentenceTerm]:
        """The marked spans as terms of the prepared sentence ``line``; ``tokens`` are its tokens as written."""
        items = dict(zip(line.places, line.items, strict=True))
        ends = {0: 0}
        length = 0
        for place, token in enumerate(tokens):
            length += len("".join((items[place].text if place in items else token).split()))
            ends[length] = place + 1
        # How many characters that are not spaces come before each character.
        dense = list(itertools.accumulate((not one.isspace() for one in self.text), initial=0))
        found = []
        for mark in self.marks:
            first, end = ends.get(dense[mark.start]), ends.get(dense[mark.end])
            if first is None or end is None or first >= end:
                raise InputError(
                    f"the marked text {self.text[mark.start : mark.end]!r} does not consist of whole tokens.",
                    hint="Put spaces around the markup, or mark whole words.",
                )
            own = [(place - first, item) for place, item in items.items() if first <= place < end]
            term = ProtectedLine(
                self.text[mark.start : mark.end],
                line.tokens[first:end],
                tuple(item for _, item in own),
                tuple(place for place, _ in own),
            )
            for text, probability in mark.translations:
                made = preparer.translation(term, text)
                found.append(made.at(first, end, usage, max(math.log(probability), -100.0)))
        return found


def read_markup(text: str) -> MarkedText:
    """Separate a text from its marked translations.

    Elements with an attribute ``translation`` are marks; ``||`` separates alternatives, and ``prob`` gives their
    probabilities. All other markup stays in the text.

    Parameters
    ----------
    text
        The text with its markup.

    Returns
    -------
    MarkedText
        The text without marks, and the marked spans.

    Raises
    ------
    InputError
        If an element is not closed, is inside another, or has malformed probabilities.

    Examples
    --------
    >>> from graphmt.glossary import read_markup
    >>> read_markup("a <b>c</b>").text
    'a <b>c</b>'
    """
    parts: list[str] = []
    marks: list[Mark] = []
    at = written = 0
    for start in _START.finditer(text):
        translations = _translations(start[2])
        if translations is None:
            continue
        if start.start() < at:
            raise InputError(f"the markup {start[0][:60]!r} is inside another marked span.")
        close = f"</{start[1]}>"
        end = text.find(close, start.end())
        if end < 0 or start[3]:
            raise InputError(f"the markup {start[0][:60]!r} has no end {close}.")
        inside = text[start.end() : end]
        if not inside.strip():
            raise InputError(f"the markup {start[0][:60]!r} encloses no words.")
        before = text[at : start.start()]
        written += len(before)
        parts += [before, inside]
        marks.append(Mark(written, written + len(inside), translations))
        written += len(inside)
        at = end + len(close)
    return MarkedText("".join([*parts, text[at:]]), tuple(marks))


def _translations(attributes: str) -> tuple[tuple[str, float], ...] | None:
    values = {name: html.unescape(one or other) for name, one, other in _ATTRIBUTE.findall(attributes)}
    given = next((values[name] for name in _TRANSLATION if name in values), None)
    if given is None:
        return None
    texts = [text.strip() for text in given.split(_SEPARATOR)]
    if not all(texts):
        raise InputError(f"an empty translation in the markup: {given[:60]!r}.")
    probabilities = [1.0] * len(texts)
    if "prob" in values:
        try:
            probabilities = [float(one) for one in values["prob"].split(_SEPARATOR)]
        except ValueError:
            probabilities = []
        if len(probabilities) != len(texts) or not all(0 < one <= 1 for one in probabilities):
            raise InputError(
                f"prob is {values['prob'][:40]!r}; a number above 0 and up to 1 was expected for each translation.",
                hint=f"Separate them with {_SEPARATOR}.",
            )
    return tuple(zip(texts, probabilities, strict=True))
