"""The record: the candidates of one sentence."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphmt.errors import InputError
from graphmt.reprs import counted, shortened

#: The column of the model's score.
SCORE = "score"


class Candidate(NamedTuple):
    """One candidate as a format's parser returns it."""

    number: int
    text: str
    #: Feature values by name, including the score.
    values: dict[str, float]
    #: The parsed line, from which the format writes the candidate again.
    origin: Any
    #: The line of the file that it was read from.
    line: int | None = None


@dataclasses.dataclass(frozen=True)
class NBestList:
    """The candidates of one sentence, in the order of their system.

    Examples
    --------
    >>> from graphmt.consensus import NBestList
    >>> NBestList.of(0, [("a house", {"score": -1.0, "lm": -3.5}), ("the house", {"score": -1.5, "lm": -2.0})])
    NBestList(0, 'a house', 2 candidates)
    """

    #: The number of the sentence, from 0.
    number: int
    texts: tuple[str, ...]
    #: The columns of ``values``; the first is the score.
    features: tuple[str, ...]
    values: npt.NDArray[np.float64]
    #: What the list's format writes each candidate from; empty for lists that were not read from a file.
    origins: tuple[Any, ...] = ()
    #: The name of the format in :data:`graphmt.nbest.formats.FORMATS`.
    format: str = "moses"

    def __repr__(self) -> str:
        return f"NBestList({self.number}, {shortened(self.texts[0])!r}, {counted(len(self), 'candidate')})"

    @classmethod
    def of(cls, number: int, candidates: Iterable[tuple[str, float | Mapping[str, float]]]) -> NBestList:
        """From (text, score) or (text, values by name, including ``score``)."""
        made = []
        for text, values in candidates:
            named = dict(values) if isinstance(values, Mapping) else {SCORE: float(values)}
            made.append(Candidate(number, text, named, None))
        if not made:
            raise InputError(f"sentence {number} has no candidates.", file="the given lists")
        return dataclasses.replace(joined(made, "the given lists", None, cls.format), origins=())

    def __len__(self) -> int:
        return len(self.texts)


def joined(held: Sequence[Candidate], name: str, features: tuple[str, ...] | None, format: str) -> NBestList:
    """The list of a sentence's candidates; all must have the columns ``features`` (None: those of the first)."""
    columns = features or _ordered(held[0].values)
    rows = []
    for one in held:
        if len(one.values) != len(columns) or any(column not in one.values for column in columns):
            raise InputError(
                f"a candidate has the values {', '.join(one.values) or '(none)'}; the first one has "
                f"{', '.join(columns)}.",
                file=name,
                line=one.line,
                hint="Every candidate needs the same features.",
            )
        rows.append([one.values[column] for column in columns])
        if not all(map(math.isfinite, rows[-1])):
            raise InputError(f"a value of sentence {one.number} is not a finite number.", file=name, line=one.line)
    values = np.array(rows, dtype=np.float64)
    texts, origins = tuple(one.text for one in held), tuple(one.origin for one in held)
    return NBestList(held[0].number, texts, columns, values, origins, format)


def _ordered(values: Mapping[str, float]) -> tuple[str, ...]:
    return (SCORE, *(name for name in values if name != SCORE))
