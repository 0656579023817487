"""N-best lists of any system, read as a stream: Moses' format, or JSON lines."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphmt.errors import InputError
from graphmt.files import AnyPath, lines

#: The column of the model's score.
SCORE = "score"
#: How JSON lines may call it.
SCORE_NAMES = (SCORE, "log_probability", "log_prob", "logprob")
#: How JSON lines may call the number of the sentence.
NUMBER_NAMES = ("sentence", "id")

_BETWEEN = " ||| "


class _Candidate(NamedTuple):
    number: int
    text: str
    #: Feature values by name, the score among them.
    values: dict[str, float]
    #: What it is written from again: the fields of a Moses line, or the object of a JSON line.
    origin: Any


@dataclasses.dataclass(frozen=True)
class NBestList:
    """The candidates of one sentence, in the order of their system."""

    #: From 0.
    number: int
    texts: tuple[str, ...]
    #: The columns of ``values``; the first is the score.
    features: tuple[str, ...]
    values: npt.NDArray[np.float64]
    origins: tuple[Any, ...] = ()

    @classmethod
    def of(cls, number: int, candidates: Iterable[tuple[str, float | Mapping[str, float]]]) -> NBestList:
        """From (text, score) or (text, values by name, with ``score`` among them)."""
        made = []
        for text, values in candidates:
            named = dict(values) if isinstance(values, Mapping) else {SCORE: float(values)}
            made.append(_Candidate(number, text, named, None))
        return _joined(made, "the given lists", None)

    def __len__(self) -> int:
        return len(self.texts)


def read_lists(path: AnyPath) -> Iterator[NBestList]:
    """The lists of a plain or gzip file (``-``: standard input), one sentence after the other.

    Moses' format is ``number ||| text ||| name= value … ||| score``. A JSON line is a candidate, with ``text`` or
    ``tokens``, ``score`` or ``log_probability``, the number of its ``sentence`` and perhaps ``features`` by name; or
    it is the whole list of a sentence, its ``candidates``. Which it is the first line tells. Sentences are numbered
    from 0 without a gap; their candidates stand together.
    """
    name = "standard input" if os.fspath(path) == "-" else os.fspath(path)
    parse = None
    held: list[_Candidate] = []
    features: tuple[str, ...] | None = None
    following = 0
    at = 0
    for at, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        if parse is None:
            parse = _json if line.lstrip().startswith("{") else _moses
        for one in parse(line, name, at, following):
            if held and one.number != held[0].number:
                made = _joined(held, name, features, at - 1)
                features = made.features
                yield made
                held = []
            if not held:
                if one.number != following:
                    raise InputError(
                        f"sentence {one.number} where {following} was expected.",
                        file=name,
                        line=at,
                        hint="Sentences are numbered from 0; each has a list, and its candidates stand together.",
                    )
                following += 1
            held.append(one)
    if held:
        yield _joined(held, name, features, at)


def _joined(
    held: Sequence[_Candidate], name: str, features: tuple[str, ...] | None, last: int | None = None
) -> NBestList:
    columns = features or _ordered(held[0].values)
    rows = []
    for place, one in enumerate(held):
        if len(one.values) != len(columns) or any(column not in one.values for column in columns):
            raise InputError(
                f"a candidate with the values {', '.join(one.values) or 'of nothing'}; the first one has "
                f"{', '.join(columns)}.",
                file=name,
                line=None if last is None else last - len(held) + place + 1,
            )
        rows.append([one.values[column] for column in columns])
    values = np.array(rows, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError(f"a value of sentence {held[0].number} is not a finite number.", file=name, line=last)
    texts, origins = tuple(one.text for one in held), tuple(one.origin for one in held)
    return NBestList(held[0].number, texts, columns, values, origins)


def _ordered(values: Mapping[str, float]) -> tuple[str, ...]:
    return (SCORE, *(name for name in values if name != SCORE))


def _moses(line: str, name: str, at: int, _: int) -> Iterator[_Candidate]:
    fields = line.split(_BETWEEN)
    try:
        if len(fields) < 4:
            raise ValueError
        yield _Candidate(int(fields[0]), fields[1], {**_named(fields[2]), SCORE: float(fields[3])}, tuple(fields))
    except ValueError:
        raise InputError(
            "not a line of an n-best list.",
            file=name,
            line=at,
            hint="Expected: number ||| translation ||| name= value … ||| score, or JSON.",
        ) from None


def _named(text: str) -> dict[str, float]:
    """``LM= -3 TM= -1 -2`` as values by name; a name with several values has them numbered from 0."""
    groups: list[tuple[str, list[float]]] = []
    for piece in text.split():
        if piece[-1] in "=:" and len(piece) > 1:
            groups.append((piece[:-1], []))
        elif groups:
            groups[-1][1].append(float(piece))
        else:
            groups.append(("feature", [float(piece)]))
    found: dict[str, float] = {}
    for name, values in groups:
        found.update({name: values[0]} if len(values) == 1 else {f"{name}{k}": v for k, v in enumerate(values)})
    return found


def _json(line: str, name: str, at: int, following: int) -> Iterator[_Candidate]:
    try:
        content = json.loads(line)
        if "candidates" in content:
            number = next((int(content[key]) for key in NUMBER_NAMES if key in content), following)
            for one in content["candidates"]:
                yield _from_object(one, number)
        else:
            number = next(int(content[key]) for key in NUMBER_NAMES if key in content)
            yield _from_object(content, number)
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RuntimeError):
        raise InputError(
            "not a candidate in JSON.",
            file=name,
            line=at,
            hint='Expected: {"sentence": 0, "text": "…", "score": -1.5} with "tokens" for "text", "log_probability" '
            'for "score" and "features" if you like, or {"candidates": [{"text": …}, …]} for a sentence.',
        ) from None


def _from_object(content: dict[str, Any], number: int) -> _Candidate:
    tokens = content.get("tokens")
    text = content["text"] if tokens is None else " ".join(tokens)
    if not isinstance(text, str):
        raise TypeError
    score = next(float(content[key]) for key in SCORE_NAMES if key in content)
    values = {str(key): float(value) for key, value in (content.get("features") or {}).items() if key != SCORE}
    return _Candidate(number, text, {**values, SCORE: score}, content)


def written(
    given: NBestList, order: Sequence[int], scores: Sequence[float], added: Mapping[str, Sequence[float]]
) -> str:
    """A list in a new order, as lines of the format it came in, with new scores and features."""
    rows = []
    for rank, place in enumerate(order):
        origin, score = given.origins[place] if given.origins else None, scores[place]
        more = {name: values[place] for name, values in added.items()}
        if isinstance(origin, dict):
            features = {**(origin.get("features") or {}), **{name: _short(value) for name, value in more.items()}}
            changed = {"sentence": given.number, "rank": rank, "score": _short(score), "features": features}
            rows.append(json.dumps({**origin, **changed}, ensure_ascii=False))
        else:
            fields = origin or (str(given.number), given.texts[place], _as_moses(given, place), "")
            values = " ".join([fields[2], *(f"{name}= {value:.6g}" for name, value in more.items())])
            rows.append(_BETWEEN.join([fields[0], fields[1], values, f"{score:.6g}", *fields[4:]]))
    return "".join(f"{row}\n" for row in rows)


def _as_moses(given: NBestList, place: int) -> str:
    columns = zip(given.features[1:], given.values[place, 1:], strict=True)
    return " ".join(f"{name}= {value:.6g}" for name, value in columns)


def _short(value: float) -> float:
    return float(f"{value:.6g}") if math.isfinite(value) else 0.0
