"""N-best lists in JSON, in the shapes that systems and scripts write.

A line is a candidate with the number of its sentence, a sentence with its ``candidates``, or the list of a sentence's
candidates. The whole file may also be one array of such values. A candidate is an object, a string, or a pair of text
and score.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from graphmt.errors import InputError
from graphmt.nbest.json_values import json_texts
from graphmt.nbest.names import LIST_NAMES, NUMBER_NAMES, SCORE_NAMES, SCORES_NAMES, SOURCE_NAMES, TEXT_NAMES
from graphmt.nbest.record import Candidate, Lines, NBestList
from graphmt.nbest.scores import SCORE, ScoreMeaning, meaning_of_name
from graphmt.nbest.texts import one_trimmed_line, shown
from graphmt.storage.formats import MALFORMED, parse_json

NAME = "json"
SHAPE = (
    '{"sentence": 0, "text": "…", "score": -1.5}, with "tokens" for "text", "log_probability" for "score" and optional '
    '"features", or {"candidates": [{"text": …}, …]} for a sentence, or ["…", "…"] for its texts alone'
)

_START = re.compile(r'\s*(?:\{|\[\s*(?:["{[]|$))')


class _Malformed(ValueError):
    """What is wrong with a JSON value, as a sentence without its full stop."""


def recognises(line: str) -> bool:
    """Whether a line begins an object or an array."""
    return _START.match(line) is not None


def candidates(lines: Lines, name: str, _: int | None) -> Iterator[Candidate]:
    """The candidates of a file; a sentence without a number is the next one."""
    following = 0
    for at, text, element in json_texts(lines, name):
        try:
            for one in _from_value(_parsed(text), following, at, element):
                yield one
                following = one.number + 1
        except (*MALFORMED, StopIteration) as error:
            said = f": {error}" if isinstance(error, _Malformed) else ""
            raise InputError(
                f"not a candidate in JSON{said}.",
                file=name,
                line=at,
                hint=f"It is {shown(text.strip())}. Expected: {SHAPE}.",
            ) from None


def without(origin: Any, columns: Collection[str]) -> Any:
    """A candidate's object without some features."""
    features = origin.get("features") or {}
    return {**origin, "features": {name: value for name, value in features.items() if name not in columns}}


def written(given: NBestList, place: int, rank: int, score: float, added: Mapping[str, float]) -> str:
    """The line of a candidate with a new score and added features."""
    origin = given.origins[place] if given.origins else _origin(given, place)
    features = {**(origin.get("features") or {}), **{name: _short(value) for name, value in added.items()}}
    changed = {"sentence": given.number, "rank": rank, "score": _short(score), "features": features}
    return json.dumps({**origin, **changed}, ensure_ascii=False)


def _origin(given: NBestList, place: int) -> dict[str, Any]:
    own = zip(given.features[1:], given.values[place, 1:].tolist(), strict=True)
    made: dict[str, Any] = {"sentence": given.number, "text": given.texts[place], "features": dict(own)}
    if given.alignments:
        made["alignment"] = given.alignments[place]
    if given.word_scores:
        made["word_scores"] = [_short(value) for value in given.word_scores[place]]
    return made


def _parsed(text: str) -> Any:
    try:
        return parse_json(text)
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise _Malformed(str(error)) from None


def _from_value(content: Any, following: int, at: int, element: bool) -> Iterator[Candidate]:
    """The candidates of a line, or of an element of the file's array."""
    if isinstance(content, list) and not _is_pair(content):
        if _are_sentences(content):
            for one in content:
                for made in _from_value(one, following, at, True):
                    yield made
                    following = made.number + 1
        else:
            yield from _listed(content, following, {}, at)
    elif isinstance(content, dict) and (key := _first(content, LIST_NAMES, list)) is not None:
        number = next((content[key] for key in NUMBER_NAMES if _is_integer(content.get(key))), following)
        yield from _listed(content[key], number, content, at)
    elif isinstance(content, dict) and any(key in LIST_NAMES for key in content):
        raise _Malformed("a sentence without candidates")
    elif isinstance(content, dict) and any(key in content for key in NUMBER_NAMES):
        number = next(int(content[key]) for key in NUMBER_NAMES if key in content)
        yield _from_object(content, number, at, content)
    elif element:
        # The elements of the file's array are the candidates of its only sentence.
        yield _from_any(content, 0, at, {})
    else:
        raise _Malformed("no number of a sentence")


def _are_sentences(content: list[Any]) -> bool:
    """Whether the elements of an array are sentences, or candidates with the numbers of theirs."""
    first = content[0] if content else None
    if isinstance(first, list):
        return not _is_pair(first)
    return isinstance(first, dict) and any(key in first for key in (*LIST_NAMES, *NUMBER_NAMES))


def _listed(content: list[Any], number: int, sentence: Mapping[str, Any], at: int) -> Iterator[Candidate]:
    if not content:
        raise _Malformed("a sentence without candidates")
    scores_name = _first(sentence, SCORES_NAMES, list)
    scores = None if scores_name is None else sentence[scores_name]
    if scores is not None and len(scores) != len(content):
        raise _Malformed(f"{len(scores)} scores for {len(content)} candidates")
    for place, one in enumerate(content):
        if isinstance(one, list) and not _is_pair(one):
            one = {"tokens": one}
        made = _from_any(one, number, at, sentence)
        if scores is not None and SCORE not in made.values:
            made = made._replace(values={**made.values, SCORE: float(scores[place])})
        yield made


def _from_any(content: Any, number: int, at: int, sentence: Mapping[str, Any]) -> Candidate:
    if isinstance(content, str):
        content = {"text": content}
    elif isinstance(content, list) and _is_pair(content):
        content = {"text": content[0], SCORE: content[1]}
    if not isinstance(content, dict):
        raise _Malformed("a candidate must be a string, a pair of text and score, or an object")
    return _from_object(content, number, at, sentence)


def _from_object(content: dict[str, Any], number: int, at: int, sentence: Mapping[str, Any]) -> Candidate:
    tokens = content.get("tokens")
    if tokens is not None and not isinstance(tokens, list):
        raise _Malformed("tokens must be a list of strings")
    text = _text(content) if tokens is None else " ".join(tokens)
    if not isinstance(text, str):
        raise _Malformed("text must be a string")
    # The first of these names is the score; any other is a column as well.
    scores = {key: float(content[key]) for key in SCORE_NAMES if content.get(key) is not None}
    own: dict[str, float] = {}
    meanings: dict[str, ScoreMeaning] = {}
    if scores:
        first = next(iter(scores))
        own[SCORE] = scores.pop(first)
        meanings[SCORE] = meaning_of_name(first)
    values = {str(key): float(value) for key, value in (content.get("features") or {}).items() if key != SCORE}
    source = _first(sentence, SOURCE_NAMES, str)
    return Candidate(
        number,
        one_trimmed_line(text),
        {**scores, **values, **own},
        content,
        at,
        meanings,
        None if source is None else sentence[source],
    )


def _text(content: Mapping[str, Any]) -> Any:
    # Chat interfaces wrap the text in a message.
    inner = content["message"] if isinstance(content.get("message"), dict) else content
    key = next((key for key in TEXT_NAMES if key in inner), None)
    if key is None:
        raise _Malformed("a candidate without text")
    return inner[key]


def _first(content: Mapping[str, Any], names: tuple[str, ...], kind: type) -> str | None:
    return next((key for key in names if isinstance(content.get(key), kind)), None)


def _is_pair(content: list[Any]) -> bool:
    """Whether a list is a text and its score."""
    return len(content) == 2 and isinstance(content[0], str) and isinstance(content[1], int | float)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _short(value: float) -> float:
    return float(f"{value:.6g}") if math.isfinite(value) else 0.0
