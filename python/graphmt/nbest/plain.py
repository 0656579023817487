"""Plain text with k lines for each sentence, as ``onmt_translate -n_best K`` writes it; scores may follow a tab.

OpenNMT-py's ``-with_score`` writes them. They are sums of log-probabilities, or averages: its ``-length_penalty``
decides, and the default differs by version.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from graphmt.errors import InputError, OptionError
from graphmt.nbest.record import Candidate, Lines, NBestList
from graphmt.nbest.scores import SCORE
from graphmt.nbest.texts import is_number, one_line, shown

NAME = "plain"
SHAPE = "translation, or translation<tab>score, with the same number of lines for each sentence (--list-size)"


def candidates(lines: Lines, name: str, list_size: int | None) -> Iterator[Candidate]:
    """The candidates of a file. Its first line decides whether it has scores."""
    if list_size is None:
        raise OptionError(
            "plain text needs the number of candidates of a sentence.", hint="Give --list-size K (list_size=K)."
        )
    scored = None
    place = -1
    at = 0
    for place, (at, line) in enumerate(lines):
        text, tab, score = line.rpartition("\t")
        if scored is None:
            scored = bool(tab) and is_number(score)
        values: dict[str, float] = {}
        if scored:
            if not tab or not is_number(score):
                raise InputError(
                    f"no score after the translation: {shown(line)}.",
                    file=name,
                    line=at,
                    hint="The first line has one: translation<tab>score.",
                )
            values = {SCORE: float(score)}
        yield Candidate(place // list_size, text if scored else line, values, line, at)
    if (place + 1) % list_size:
        raise InputError(
            f"{place + 1:,} lines; a multiple of {list_size} was expected, {list_size} for each sentence.",
            file=name,
            line=at,
            hint="Check --list-size.",
        )


def without(origin: Any, columns: Collection[str]) -> Any:
    """The line of a candidate; it has no named columns."""
    return origin


def written(given: NBestList, place: int, rank: int, score: float, added: Mapping[str, float]) -> str:
    """The text alone."""
    return one_line(given.texts[place])


def written_with_score(given: NBestList, place: int, rank: int, score: float, added: Mapping[str, float]) -> str:
    """The text and the score, separated by a tab."""
    return f"{one_line(given.texts[place])}\t{score:.6g}"
