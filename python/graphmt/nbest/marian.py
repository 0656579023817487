"""Marian's n-best lists (``--n-best``): Moses' lines, with alignment and word scores between text and features.

``number ||| text [||| alignment] [||| WordScores= …] ||| F0= … ||| score``. F0, F1, … are the sums of log-probabilities
of the ensemble's models. The score is their weighted sum, divided by a power of the length (``--normalize``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from graphmt.errors import InputError
from graphmt.nbest import moses
from graphmt.nbest.moses import BETWEEN
from graphmt.nbest.record import Candidate, Lines, NBestList
from graphmt.nbest.scores import SCORE, ScoreMeaning
from graphmt.nbest.texts import shown

NAME = "marian"
SHAPE = "number ||| translation [||| alignment] [||| WordScores= …] ||| F0= … ||| score"

_WORDS = "WordScores="
_FEATURES = re.compile(r"\s*F0=")
#: A name and its value without a space between: ``F0=-3.2``.
_ATTACHED = re.compile(r"(?<!\S)(\S+=)(?=[^\s=])")


def recognises(line: str) -> bool:
    """Whether the last but one field has Marian's features."""
    fields = line.split("|||")
    return len(fields) >= 4 and _FEATURES.match(fields[-2]) is not None


def candidates(lines: Lines, name: str, _: int | None) -> Iterator[Candidate]:
    """The candidates of a file."""
    meanings = None
    for at, line in lines:
        if not line.strip():
            continue
        fields = line.split(BETWEEN)
        try:
            if len(fields) < 4 or not _FEATURES.match(fields[-2]):
                raise ValueError
            values = {**moses.named(_ATTACHED.sub(r"\1 ", fields[-2])), SCORE: float(fields[-1])}
            alignment, words = _between(fields[2:-2])
            if meanings is None:
                meanings = _meanings(values)
            yield Candidate(
                int(fields[0]), fields[1], values, tuple(fields), at, meanings, word_scores=words, alignment=alignment
            )
        except ValueError:
            raise InputError(
                f"not a line of Marian's n-best list: {shown(line)}.", file=name, line=at, hint=f"Expected: {SHAPE}"
            ) from None


def without(origin: Any, columns: Collection[str]) -> Any:
    """The fields of a line without some columns."""
    values = moses.named(_ATTACHED.sub(r"\1 ", origin[-2]))
    kept = " ".join(f"{name}= {value:.6g}" for name, value in values.items() if name not in columns)
    return (*origin[:-2], kept, origin[-1])


def written(given: NBestList, place: int, rank: int, score: float, added: Mapping[str, float]) -> str:
    """The line of a candidate with a new score and added features."""
    if given.origins:
        fields = list(given.origins[place])
    else:
        plain = moses.written(given, place, rank, score, {}).split(BETWEEN)
        words = given.word_scores[place : place + 1]
        between = [*plain[4:], *(f"{_WORDS} {' '.join(f'{value:.5f}' for value in one)}" for one in words)]
        first = given.values[place, given.features.index(given.log_probability or SCORE)]
        features = plain[2] if _FEATURES.match(plain[2]) else f"F0= {first:.6g} {plain[2]}".rstrip()
        fields = [*plain[:2], *between, features, ""]
    more = [f"{name}= {value:.6g}" for name, value in added.items()]
    return BETWEEN.join([*fields[:-2], " ".join([fields[-2], *more]), f"{score:.6g}"])


def _between(fields: list[str]) -> tuple[str | None, tuple[float, ...] | None]:
    """The alignment and the word scores."""
    words = None
    if fields and fields[-1].startswith(_WORDS):
        words = tuple(float(value) for value in fields.pop().removeprefix(_WORDS).split())
        if not all(map(math.isfinite, words)):
            raise ValueError
    if len(fields) > 1:
        raise ValueError
    return (fields[0].strip() if fields else None), words


def _meanings(values: Mapping[str, float]) -> dict[str, ScoreMeaning]:
    models = [name for name in values if re.fullmatch(r"F\d+", name)]
    total = sum(values[name] for name in models)
    same = math.isclose(values[SCORE], total, rel_tol=1e-4, abs_tol=1e-4)
    score = ScoreMeaning.SUM if same else ScoreMeaning.NORMALISED if len(models) == 1 else ScoreMeaning.UNKNOWN
    return {SCORE: score, **dict.fromkeys(models, ScoreMeaning.SUM)}
