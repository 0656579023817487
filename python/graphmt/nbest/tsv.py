"""Tab-separated n-best lists: number, text and score, or the columns that a header names."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from graphmt.errors import InputError
from graphmt.nbest.names import NUMBER_NAMES, SCORE_NAMES, SOURCE_NAMES, TEXT_NAMES
from graphmt.nbest.record import Candidate, Lines, NBestList
from graphmt.nbest.scores import SCORE, ScoreMeaning, meaning_of_name
from graphmt.nbest.texts import is_number, one_line, shown

NAME = "tsv"
SHAPE = "number<tab>translation<tab>score, or a header with id, text and score"


@dataclasses.dataclass(frozen=True)
class _Layout:
    """Which column has what."""

    number: int
    text: int
    score: int | None
    source: int | None
    #: The other columns with numbers, by name.
    features: Mapping[str, int]
    width: int
    meanings: Mapping[str, ScoreMeaning]


def recognises(line: str) -> bool:
    """Whether a line is a header, or begins with a number and has two or more columns."""
    cells = line.split("\t")
    if len(cells) < 2 or _is_header(cells):
        return len(cells) > 1
    return _is_integer(cells[0]) and (len(cells) > 2 or not is_number(cells[1]))


def candidates(lines: Lines, name: str, _: int | None) -> Iterator[Candidate]:
    """The candidates of a file; its first lines decide which columns are features."""
    header: list[str] | None = None
    layout: _Layout | None = None
    for at, line in lines:
        if not line.strip():
            continue
        cells = line.split("\t")
        if layout is None and header is None and _is_header(cells):
            header = [cell.strip() for cell in cells]
            continue
        try:
            if layout is None:
                layout = _from_header(header, cells) if header else _guessed(cells)
            if len(cells) != layout.width:
                raise ValueError
            values = {feature: float(cells[column]) for feature, column in layout.features.items()}
            if layout.score is not None:
                values = {SCORE: float(cells[layout.score]), **values}
            source = None if layout.source is None else cells[layout.source]
            yield Candidate(int(cells[layout.number]), cells[layout.text], values, None, at, layout.meanings, source)
        except ValueError:
            expected = f"{layout.width} columns as in the first line, numbers where it has numbers" if layout else SHAPE
            raise InputError(
                f"not a line of a tab-separated n-best list: {shown(line)}.",
                file=name,
                line=at,
                hint=f"Expected: {expected}.",
            ) from None


def without(origin: Any, columns: Collection[str]) -> Any:
    """Nothing: candidates are written from the record."""
    return origin


def written(given: NBestList, place: int, rank: int, score: float, added: Mapping[str, float]) -> str:
    """The line of a candidate, and the header before the first one."""
    own = dict(zip(given.features[1:], given.values[place, 1:].tolist(), strict=True))
    features = {**own, **added}
    cells = [str(given.number), _cell(given.texts[place]), f"{score:.6g}", *(f"{v:.6g}" for v in features.values())]
    line = "\t".join(cells)
    if given.number or rank:
        return line
    return "\t".join(["id", "text", SCORE, *map(_cell, features)]) + "\n" + line


def _cell(text: str) -> str:
    return one_line(text).replace("\t", " ")


def _is_header(cells: list[str]) -> bool:
    names = [cell.strip().lower() for cell in cells]
    return any(name in NUMBER_NAMES for name in names) and any(name in TEXT_NAMES for name in names)


def _from_header(header: list[str], first: list[str]) -> _Layout:
    names = [cell.lower() for cell in header]

    def column(known: Collection[str]) -> int | None:
        return next((names.index(name) for name in known if name in names), None)

    number, text = column(NUMBER_NAMES), column(TEXT_NAMES)
    score, source = column(SCORE_NAMES), column(SOURCE_NAMES)
    if number is None or text is None or len(set(names)) != len(names):
        raise ValueError
    taken = {number, text, score, source}
    features = {
        cell: place
        for place, cell in enumerate(header)
        if place not in taken and place < len(first) and is_number(first[place])
    }
    meanings = {} if score is None else {SCORE: meaning_of_name(header[score])}
    return _Layout(number, text, score, source, features, len(header), meanings)


def _guessed(first: list[str]) -> _Layout:
    if len(first) < 2:
        raise ValueError
    # The text is the second column, or the third if the second is a number and the third is not.
    text = 2 if len(first) > 2 and is_number(first[1]) and not is_number(first[2]) else 1
    rest = [place for place in range(1, len(first)) if place != text]
    score = rest[0] if rest else None
    return _Layout(0, text, score, None, {f"column{place + 1}": place for place in rest[1:]}, len(first), {})


def _is_integer(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit()
