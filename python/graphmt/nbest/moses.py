"""Moses' n-best lists: ``number ||| text ||| name= value … ||| score``, a line for each candidate."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphmt.errors import InputError
from graphmt.nbest.record import Candidate, Lines, NBestList
from graphmt.nbest.scores import SCORE
from graphmt.nbest.texts import one_line, shown

NAME = "moses"
SHAPE = "number ||| translation ||| name= value … ||| score"

BETWEEN = " ||| "
#: Bars before an empty field that has one space instead of two.
_EMPTY = re.compile(r"\|\|\|(?= \|\|\|)")
LINKS = re.compile(r"\d+-\d+(?: \d+-\d+)*")


def recognises(line: str) -> bool:
    """Whether a line has fields separated by three bars."""
    return BETWEEN in line


def candidates(lines: Lines, name: str, _: int | None) -> Iterator[Candidate]:
    """The candidates of a file; a fifth field may have the word alignment."""
    for at, line in lines:
        if not line.strip():
            continue
        fields = _EMPTY.sub("||| ", line).split(BETWEEN)
        try:
            if len(fields) < 4:
                raise ValueError
            values = {**named(fields[2]), SCORE: float(fields[3])}
            links = fields[4].strip() if len(fields) > 4 else ""
            alignment = links if LINKS.fullmatch(links) else None
            yield Candidate(int(fields[0]), fields[1], values, tuple(fields), at, alignment=alignment)
        except ValueError:
            raise InputError(
                f"not a line of an n-best list: {shown(line)}.",
                file=name,
                line=at,
                hint=f"Expected: {SHAPE}, or JSON.",
            ) from None


def without(origin: Any, columns: Collection[str]) -> Any:
    """The fields of a line without some columns."""
    kept = [f"{name}= {' '.join(values)}" for name, values in _groups(origin[2]) if name not in columns]
    return (*origin[:2], " ".join(kept), *origin[3:])


def written(given: NBestList, place: int, rank: int, score: float, added: Mapping[str, float]) -> str:
    """The line of a candidate with a new score and added features."""
    fields = given.origins[place] if given.origins else _fields(given, place)
    values = " ".join(filter(None, [fields[2], *_pairs(added.items())]))
    return BETWEEN.join([fields[0], fields[1], values, f"{score:.6g}", *fields[4:]])


def line_of(number: int, tokens: Sequence[str], features: Mapping[str, float], score: float) -> str:
    """The line of a translation; characters that would end a field or the line are escaped as in Moses."""
    return BETWEEN.join(
        [str(number), " ".join(map(_escaped, tokens)), " ".join(_pairs(features.items())), f"{score:.6g}"]
    )


def _fields(given: NBestList, place: int) -> tuple[str, ...]:
    values = " ".join(_pairs(zip(given.features[1:], given.values[place, 1:], strict=True)))
    links = given.alignments[place : place + 1] if given.alignments else ()
    return (str(given.number), _escaped(given.texts[place]), values, "", *links)


def _escaped(token: str) -> str:
    """A token without field separators (its bars as Moses' tokeniser writes them) and without line ends."""
    if "|||" in token:
        token = token.replace("|", "&#124;")
    return one_line(token)


def _pairs(values: Iterable[tuple[str, float]]) -> Iterator[str]:
    return (f"{'_'.join(name.split())}= {value:.6g}" for name, value in values)


def named(text: str) -> dict[str, float]:
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
