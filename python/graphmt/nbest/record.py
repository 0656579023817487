"""The record: the candidates of one sentence."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphmt.errors import InputError
from graphmt.nbest.scores import SCORE, ScoreMeaning, meaning_of_name
from graphmt.reprs import counted, shortened

#: Numbered lines of a file, from 1.
Lines = Iterator[tuple[int, str]]

_NO_MEANINGS: Mapping[str, ScoreMeaning] = {}


class Candidate(NamedTuple):
    """One candidate as a format's parser returns it."""

    number: int
    text: str
    #: Feature values by name, including the score if there is one.
    values: dict[str, float]
    #: The parsed line, from which the format writes the candidate again, as values that JSON has.
    origin: Any
    #: The line of the file that it was read from.
    line: int | None = None
    #: What columns mean, where their names do not say it.
    meanings: Mapping[str, ScoreMeaning] = _NO_MEANINGS
    #: The source sentence, if the file has it.
    source: str | None = None
    #: Log-probabilities of the tokens (natural logarithms), if the file has them.
    word_scores: tuple[float, ...] | None = None
    #: The word alignment as written, if the file has it.
    alignment: str | None = None
    #: The factor that turns a score normalised by length into a log-probability, if the file tells it.
    length: float | None = None


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
    #: What each column means.
    meanings: Mapping[str, ScoreMeaning] = dataclasses.field(default_factory=dict)
    #: The source sentence, if the file has it.
    source: str | None = None
    #: Log-probabilities of each candidate's tokens, subword pieces included; empty if the file has none.
    word_scores: tuple[tuple[float, ...], ...] = ()
    #: Word alignments as written; empty if the file has none.
    alignments: tuple[str, ...] = ()
    #: The factors that turn scores normalised by length into log-probabilities: the numbers of tokens as the system
    #: counts them, the end included; empty if they are unknown.
    lengths: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"NBestList({self.number}, {shortened(self.texts[0])!r}, {counted(len(self), 'candidate')})"

    def _repr_html_(self) -> str:
        """A row for each candidate, with its values."""
        from graphmt.draw.notebook import long_table

        rows = [
            (place, text, *(f"{value:.4g}" for value in values))
            for place, (text, values) in enumerate(zip(self.texts, self.values.tolist(), strict=True), 1)
        ]
        return long_table(("", "candidate", *self.features), rows, texts=(1,))

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

    @property
    def log_probability(self) -> str | None:
        """The first column that is a log-probability, not normalised by length; None if no column is known to be."""
        return next((name for name in self.features if self.meanings.get(name) is ScoreMeaning.SUM), None)


def joined(held: Sequence[Candidate], name: str, features: tuple[str, ...] | None, format: str) -> NBestList:
    """The list of a sentence's candidates; all must have the columns ``features`` (None: those of the first)."""
    first = held[0]
    columns = features or _ordered(first.values)
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
    words = tuple(one.word_scores for one in held if one.word_scores is not None)
    links = tuple(one.alignment for one in held if one.alignment is not None)
    lengths = tuple(one.length for one in held if one.length is not None)
    return NBestList(
        first.number,
        tuple(one.text for one in held),
        columns,
        np.array(rows, dtype=np.float64),
        tuple(one.origin for one in held),
        format,
        {column: first.meanings.get(column) or meaning_of_name(column) for column in columns},
        first.source,
        words if len(words) == len(held) else (),
        links if len(links) == len(held) else (),
        lengths if len(lengths) == len(held) else (),
    )


def _ordered(values: Mapping[str, float]) -> tuple[str, ...]:
    return (SCORE, *(name for name in values if name != SCORE))
