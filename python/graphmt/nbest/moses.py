"""Moses' n-best lists: ``number ||| text ||| name= value … ||| score``, a line for each candidate."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphmt.errors import InputError
from graphmt.nbest.record import SCORE, Candidate, NBestList

NAME = "moses"

_BETWEEN = " ||| "
_LINE_ENDS = re.compile(r"[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")


def parse(line: str, name: str, at: int, _: int) -> Iterator[Candidate]:
    """The candidate of a line."""
    fields = line.split(_BETWEEN)
    try:
        if len(fields) < 4:
            raise ValueError
        values = {**_named(fields[2]), SCORE: float(fields[3])}
        yield Candidate(int(fields[0]), fields[1], values, tuple(fields), at)
    except ValueError:
        raise InputError(
            "not a line of an n-best list.",
            file=name,
            line=at,
            hint="Expected: number ||| translation ||| name= value … ||| score, or JSON.",
        ) from None


def without(origin: Any, columns: Collection[str]) -> Any:
    """The fields of a line without some columns."""
    kept = [f"{name}= {' '.join(values)}" for name, values in _groups(origin[2]) if name not in columns]
    return (*origin[:2], " ".join(kept), *origin[3:])


def written(given: NBestList, place: int, rank: int, score: float, added: Mapping[str, float]) -> str:
    """The line of a candidate with a new score and added features."""
    fields = given.origins[place] if given.origins else (str(given.number), given.texts[place], _own(given, place), "")
    values = " ".join(filter(None, [fields[2], *_pairs(added.items())]))
    return _BETWEEN.join([fields[0], fields[1], values, f"{score:.6g}", *fields[4:]])


def line_of(number: int, tokens: Sequence[str], features: Mapping[str, float], score: float) -> str:
    """The line of a translation; characters that would end a field or the line are escaped as in Moses."""
    return _BETWEEN.join(
        [str(number), " ".join(map(_escaped, tokens)), " ".join(_pairs(features.items())), f"{score:.6g}"]
    )


def _escaped(token: str) -> str:
    """A token without field separators (its bars as Moses' tokeniser writes them) and without line ends."""
    if "|||" in token:
        token = token.replace("|", "&#124;")
    return _LINE_ENDS.sub(" ", token)


def _own(given: NBestList, place: int) -> str:
    return " ".join(_pairs(zip(given.features[1:], given.values[place, 1:], strict=True)))


def _pairs(values: Iterable[tuple[str, float]]) -> Iterator[str]:
    return (f"{name}= {value:.6g}" for name, value in values)


def _named(text: str) -> dict[str, float]:
    """``LM= -3 TM= -1 -2`` as values by name; several values of one name are numbered from 0."""
    found: dict[str, float] = {}
    for name, given in _groups(text):
        values = [float(value) for value in given]
        found.update({name: values[0]} if len(values) == 1 else {f"{name}{k}": v for k, v in enumerate(values)})
    return found


def _groups(text: str) -> list[tuple[str, list[str]]]:
    """The names of features with their values, as written."""
    groups: list[tuple[str, list[str]]] = []
    for piece in text.split():
        if piece[-1] in "=:" and len(piece) > 1:
            groups.append((piece[:-1], []))
        elif groups:
            groups[-1][1].append(piece)
        else:
            groups.append(("feature", [piece]))
    return groups
