"""N-best lists of any system, read as a stream: Moses' format, or JSON lines."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from graphmt.errors import InputError
from graphmt.progress import note
from graphmt.storage.files import AnyPath, lines, name_of
from graphmt.storage.formats import MALFORMED, parse_json

#: The column of the model's score.
SCORE = "score"
#: How JSON lines may call it.
SCORE_NAMES = (SCORE, "log_probability", "log_prob", "logprob")
#: How JSON lines may call the number of the sentence.
NUMBER_NAMES = ("sentence", "id")

_BETWEEN = " ||| "
#: White space in which a line ends: an output has a line for each text.
_LINE_END = re.compile(r"\s*[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")


class _Candidate(NamedTuple):
    number: int
    text: str
    #: Feature values by name, the score among them.
    values: dict[str, float]
    #: What it is written from again: the fields of a Moses line, or the object of a JSON line.
    origin: Any
    #: Of the file it came from.
    line: int | None = None


class _Refused(ValueError):
    """What is wrong with a JSON line, as a sentence without its end."""


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
        if not made:
            raise InputError(f"sentence {number} has no candidates.", file="the given lists")
        return _joined(made, "the given lists", None)

    def __len__(self) -> int:
        return len(self.texts)


class ListsOfFile(Iterator[NBestList]):
    """The lists of a file as a stream. The first is read at once, so that its columns are known."""

    def __init__(self, path: AnyPath, without: Collection[str]) -> None:
        self.path = path
        self._rest = _read(path, without)
        self._first = next(self._rest, None)
        if self._first is None:
            raise InputError("no n-best list.", file=name_of(path))
        #: The columns, the score first.
        self.features = self._first.features

    def __next__(self) -> NBestList:
        first, self._first = self._first, None
        return first if first is not None else next(self._rest)


def read_lists(path: AnyPath, *, without: Collection[str] = ()) -> ListsOfFile:
    """The lists of a plain or gzip file (``-``: standard input), one sentence after the other.

    Moses' format is ``number ||| text ||| name= value … ||| score``. A JSON line is a candidate, with ``text`` or
    ``tokens``, ``score`` or ``log_probability``, the number of its ``sentence`` and perhaps ``features`` by name; or
    it is the whole list of a sentence, its ``candidates``. Which it is the first line tells. Sentences are numbered
    from 0 without a gap; their candidates stand together. Columns of the names ``without`` are left out.
    """
    return ListsOfFile(path, without)


def _read(path: AnyPath, without: Collection[str]) -> Iterator[NBestList]:
    name = name_of(path)
    parse: Callable[[str, str, int, int], Iterator[_Candidate]] | None = None
    held: list[_Candidate] = []
    features: tuple[str, ...] | None = None
    following = 0
    for at, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        if parse is None:
            parse = _json if line.lstrip().startswith("{") else _moses
        for one in parse(line, name, at, following):
            if features is None and not held and (left := [column for column in one.values if column in without]):
                note(f"{name}: the columns {', '.join(left)} are left out, for new ones of these names are made.")
            if held and one.number != held[0].number:
                made = _joined(held, name, features)
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
            held.append(_stripped(one, without) if without else one)
    if held:
        yield _joined(held, name, features)


def _stripped(one: _Candidate, without: Collection[str]) -> _Candidate:
    """A candidate without some columns, which are not written again either."""
    if not any(column in without for column in one.values):
        return one
    origin = one.origin
    if isinstance(origin, dict):
        features = origin.get("features") or {}
        origin = {**origin, "features": {name: value for name, value in features.items() if name not in without}}
    else:
        kept = [f"{name}= {' '.join(values)}" for name, values in _groups(origin[2]) if name not in without]
        origin = (*origin[:2], " ".join(kept), *origin[3:])
    values = {name: value for name, value in one.values.items() if name not in without}
    return one._replace(values=values, origin=origin)


def _joined(held: Sequence[_Candidate], name: str, features: tuple[str, ...] | None) -> NBestList:
    columns = features or _ordered(held[0].values)
    rows = []
    for one in held:
        if len(one.values) != len(columns) or any(column not in one.values for column in columns):
            raise InputError(
                f"a candidate with the values {', '.join(one.values) or 'of nothing'}; the first one has "
                f"{', '.join(columns)}.",
                file=name,
                line=one.line,
            )
        rows.append([one.values[column] for column in columns])
        if not all(map(math.isfinite, rows[-1])):
            raise InputError(f"a value of sentence {one.number} is not a finite number.", file=name, line=one.line)
    values = np.array(rows, dtype=np.float64)
    texts, origins = tuple(one.text for one in held), tuple(one.origin for one in held)
    return NBestList(held[0].number, texts, columns, values, origins)


def _ordered(values: Mapping[str, float]) -> tuple[str, ...]:
    return (SCORE, *(name for name in values if name != SCORE))


def _moses(line: str, name: str, at: int, _: int) -> Iterator[_Candidate]:
    fields = line.split(_BETWEEN)
    try:
        if len(fields) < 4:
            raise ValueError
        values = {**_named(fields[2]), SCORE: float(fields[3])}
        yield _Candidate(int(fields[0]), fields[1], values, tuple(fields), at)
    except ValueError:
        raise InputError(
            "not a line of an n-best list.",
            file=name,
            line=at,
            hint="Expected: number ||| translation ||| name= value … ||| score, or JSON.",
        ) from None


def _named(text: str) -> dict[str, float]:
    """``LM= -3 TM= -1 -2`` as values by name; a name with several values has them numbered from 0."""
    found: dict[str, float] = {}
    for name, given in _groups(text):
        values = [float(value) for value in given]
        found.update({name: values[0]} if len(values) == 1 else {f"{name}{k}": v for k, v in enumerate(values)})
    return found


def _groups(text: str) -> list[tuple[str, list[str]]]:
    """The names of features with their values, as they are written."""
    groups: list[tuple[str, list[str]]] = []
    for piece in text.split():
        if piece[-1] in "=:" and len(piece) > 1:
            groups.append((piece[:-1], []))
        elif groups:
            groups[-1][1].append(piece)
        else:
            groups.append(("feature", [piece]))
    return groups


def _json(line: str, name: str, at: int, following: int) -> Iterator[_Candidate]:
    try:
        content = _parsed(line)
        if "candidates" in content:
            number = next((int(content[key]) for key in NUMBER_NAMES if key in content), following)
            if not isinstance(content["candidates"], list) or not content["candidates"]:
                raise _Refused("a sentence without candidates")
            for one in content["candidates"]:
                yield _from_object(one, number, at)
        else:
            number = next(int(content[key]) for key in NUMBER_NAMES if key in content)
            yield _from_object(content, number, at)
    except (*MALFORMED, StopIteration) as error:
        raise InputError(
            f"not a candidate in JSON{f': {error}' if isinstance(error, _Refused) else ''}.",
            file=name,
            line=at,
            hint='Expected: {"sentence": 0, "text": "…", "score": -1.5} with "tokens" for "text", "log_probability" '
            'for "score" and "features" if you like, or {"candidates": [{"text": …}, …]} for a sentence.',
        ) from None


def _parsed(line: str) -> Any:
    try:
        return parse_json(line)
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise _Refused(str(error)) from None


def _from_object(content: dict[str, Any], number: int, at: int) -> _Candidate:
    tokens = content.get("tokens")
    if tokens is not None and not isinstance(tokens, list):
        raise _Refused("tokens are a list of texts")
    text = content["text"] if tokens is None else " ".join(tokens)
    if not isinstance(text, str):
        raise _Refused("the text is none")
    # The first of these names is the score; others beside it are columns as well.
    scores = {key: float(content[key]) for key in SCORE_NAMES if key in content}
    score = scores.pop(next(iter(scores)))
    values = {str(key): float(value) for key, value in (content.get("features") or {}).items() if key != SCORE}
    return _Candidate(number, _one_line(text), {**scores, **values, SCORE: score}, content, at)


def _one_line(text: str) -> str:
    return _LINE_END.sub(" ", text).strip() if _LINE_END.search(text) else text


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
            values = " ".join(filter(None, [fields[2], *(f"{name}= {value:.6g}" for name, value in more.items())]))
            rows.append(_BETWEEN.join([fields[0], fields[1], values, f"{score:.6g}", *fields[4:]]))
    return "".join(f"{row}\n" for row in rows)


def _as_moses(given: NBestList, place: int) -> str:
    columns = zip(given.features[1:], given.values[place, 1:], strict=True)
    return " ".join(f"{name}= {value:.6g}" for name, value in columns)


def _short(value: float) -> float:
    return float(f"{value:.6g}") if math.isfinite(value) else 0.0
