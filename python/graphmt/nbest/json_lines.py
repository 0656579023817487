"""N-best lists as JSON lines: an object for each candidate, or for each sentence with its ``candidates``."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from graphmt.errors import InputError
from graphmt.nbest.record import SCORE, Candidate, NBestList
from graphmt.storage.formats import MALFORMED, parse_json

NAME = "json"

#: Accepted names of the score.
SCORE_NAMES = (SCORE, "log_probability", "log_prob", "logprob")
#: Accepted names of the sentence number.
NUMBER_NAMES = ("sentence", "id")

#: Line ends within a text, with the white space around them: the output has one line for each text.
_LINE_END = re.compile(r"\s*[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")


class _Malformed(ValueError):
    """What is wrong with a JSON line, as a sentence without its full stop."""


def parse(line: str, name: str, at: int, following: int) -> Iterator[Candidate]:
    """The candidates of a line; ``following`` numbers a sentence that has no number."""
    try:
        content = _parsed(line)
        if "candidates" in content:
            number = next((int(content[key]) for key in NUMBER_NAMES if key in content), following)
            if not isinstance(content["candidates"], list) or not content["candidates"]:
                raise _Malformed("a sentence without candidates")
            for one in content["candidates"]:
                yield _from_object(one, number, at)
        else:
            number = next(int(content[key]) for key in NUMBER_NAMES if key in content)
            yield _from_object(content, number, at)
    except (*MALFORMED, StopIteration) as error:
        raise InputError(
            f"not a candidate in JSON{f': {error}' if isinstance(error, _Malformed) else ''}.",
            file=name,
            line=at,
            hint='Expected: {"sentence": 0, "text": "…", "score": -1.5}, with "tokens" for "text", "log_probability" '
            'for "score" and optional "features", or {"candidates": [{"text": …}, …]} for a sentence.',
        ) from None


def without(origin: Any, columns: Collection[str]) -> Any:
    """A candidate's object without some features."""
    features = origin.get("features") or {}
    return {**origin, "features": {name: value for name, value in features.items() if name not in columns}}


def written(given: NBestList, place: int, rank: int, score: float, added: Mapping[str, float]) -> str:
    """The line of a candidate with a new score and added features."""
    origin = given.origins[place]
    features = {**(origin.get("features") or {}), **{name: _short(value) for name, value in added.items()}}
    changed = {"sentence": given.number, "rank": rank, "score": _short(score), "features": features}
    return json.dumps({**origin, **changed}, ensure_ascii=False)


def _parsed(line: str) -> Any:
    try:
        return parse_json(line)
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise _Malformed(str(error)) from None


def _from_object(content: dict[str, Any], number: int, at: int) -> Candidate:
    tokens = content.get("tokens")
    if tokens is not None and not isinstance(tokens, list):
        raise _Malformed("tokens must be a list of strings")
    text = content["text"] if tokens is None else " ".join(tokens)
    if not isinstance(text, str):
        raise _Malformed("text must be a string")
    # The first of these names is the score; any other is a column as well.
    scores = {key: float(content[key]) for key in SCORE_NAMES if key in content}
    score = scores.pop(next(iter(scores)))
    values = {str(key): float(value) for key, value in (content.get("features") or {}).items() if key != SCORE}
    return Candidate(number, _one_line(text), {**scores, **values, SCORE: score}, content, at)


def _one_line(text: str) -> str:
    return _LINE_END.sub(" ", text).strip() if _LINE_END.search(text) else text


def _short(value: float) -> float:
    return float(f"{value:.6g}") if math.isfinite(value) else 0.0
