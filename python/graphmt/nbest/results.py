"""Results of translation libraries in Python: CTranslate2, Hugging Face ``generate``, plain lists."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from graphmt.errors import InputError
from graphmt.nbest.names import SCORE_NAMES, TEXT_NAMES
from graphmt.nbest.pieces import join_pieces
from graphmt.nbest.record import Candidate, NBestList, joined
from graphmt.nbest.scores import SCORE, ScoreMeaning
from graphmt.nbest.texts import one_trimmed_line

_GIVEN = "the given candidates"


def lists_of(
    candidates: Sequence[Any],
    scores: Any = None,
    *,
    list_size: int | None = None,
    meaning: ScoreMeaning = ScoreMeaning.UNKNOWN,
    join: bool = True,
) -> list[NBestList]:
    """Make n-best lists of what translation libraries return.

    Parameters
    ----------
    candidates
        The candidates of each sentence: a list of texts (or lists of tokens, pairs of text and score, or dictionaries
        as Hugging Face pipelines return them), or an object with ``hypotheses`` and ``scores``, as of CTranslate2,
        whose scores are normalised by length; or an :class:`NBestList`.
    scores
        Lists of numbers or one flat list, also as tensors (``sequences_scores`` of Hugging Face).
    list_size
        The number of candidates of each sentence, if ``candidates`` is a flat list as ``batch_decode`` returns it.
    meaning
        What the scores are.
    join
        Whether subword pieces are joined.

    Returns
    -------
    list[NBestList]
        A list for each sentence.

    Raises
    ------
    InputError
        If the numbers of candidates and scores differ, or a candidate is not text.

    Examples
    --------
    >>> from graphmt.nbest import lists_of
    >>> lists_of(["a house", "one house", "yes", "yeah"], scores=[-0.5, -0.7, -0.1, -0.9], list_size=2)
    [NBestList(0, 'a house', 2 candidates), NBestList(1, 'yes', 2 candidates)]
    """
    sentences = list(candidates)
    if list_size is not None:
        if list_size < 1 or len(sentences) % list_size:
            raise InputError(f"{len(sentences)} candidates are not a multiple of {list_size}.", file=_GIVEN)
        sentences = [sentences[start : start + list_size] for start in range(0, len(sentences), list_size)]
    given = None if scores is None else _nested(scores, [_hypotheses(one) for one in sentences])
    made = []
    features: tuple[str, ...] | None = None
    for number, sentence in enumerate(sentences):
        if isinstance(sentence, NBestList) and given is None:
            made.append(sentence)
            continue
        own = given[number] if given is not None else _scores(sentence)
        kind = ScoreMeaning.NORMALISED if given is None and _is_result(sentence) else meaning
        one = _made(number, _hypotheses(sentence), own, kind, join)
        if features is not None and one.features != features:
            raise InputError(
                f"sentence {number} has the columns {', '.join(one.features)}; the first has {', '.join(features)}.",
                file=_GIVEN,
            )
        features = one.features
        made.append(one)
    return made


def _is_result(sentence: Any) -> bool:
    return hasattr(sentence, "hypotheses") or hasattr(sentence, "sequences")


def _hypotheses(sentence: Any) -> list[Any]:
    if isinstance(sentence, NBestList):
        return list(sentence.texts)
    found = getattr(sentence, "hypotheses", None)
    if found is None:
        found = getattr(sentence, "sequences", sentence)
    if isinstance(found, str | Mapping):
        raise InputError(
            f"a sentence must have a list of candidates, not {type(found).__name__}.",
            file=_GIVEN,
            hint="Give a list for each sentence, or list_size=K for a flat list.",
        )
    return list(found)


def _scores(sentence: Any) -> list[float] | None:
    found = getattr(sentence, "scores", None) if _is_result(sentence) else None
    return _numbers(found) if found is not None and len(found) else None


def _numbers(values: Any) -> list[float]:
    return [float(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]


def _nested(scores: Any, sentences: Sequence[Sequence[Any]]) -> list[list[float]]:
    """A list of scores for each sentence, from nested or flat ones."""
    plain = scores.tolist() if hasattr(scores, "tolist") else list(scores)
    try:
        if all(isinstance(one, int | float) for one in plain):
            if len(plain) != sum(map(len, sentences)):
                raise InputError(f"{len(plain)} scores for {sum(map(len, sentences))} candidates.", file=_GIVEN)
            rest = iter(plain)
            return [[float(next(rest)) for _ in sentence] for sentence in sentences]
        nested = [_numbers(one) for one in plain]
    except (TypeError, ValueError):
        raise InputError("scores must be numbers, or a list of numbers for each sentence.", file=_GIVEN) from None
    if len(nested) != len(sentences):
        raise InputError(f"{len(nested)} lists of scores for {len(sentences)} sentences.", file=_GIVEN)
    return nested


def _made(
    number: int, hypotheses: list[Any], scores: list[float] | None, meaning: ScoreMeaning, join: bool
) -> NBestList:
    if not hypotheses:
        raise InputError(f"sentence {number} has no candidates.", file=_GIVEN)
    if scores is not None and len(scores) != len(hypotheses):
        raise InputError(f"sentence {number}: {len(scores)} scores for {len(hypotheses)} candidates.", file=_GIVEN)
    held = []
    for place, one in enumerate(hypotheses):
        text, values, is_tokens = _text_and_values(one, number)
        if scores is not None:
            values = {**values, SCORE: scores[place]}
        plain, mark = join_pieces(text) if join else (text, None)
        length = float(len(text.split()) + 1) if is_tokens or mark else None
        meanings = {SCORE: meaning} if SCORE in values else {}
        held.append(Candidate(number, one_trimmed_line(plain), values, None, meanings=meanings, length=length))
    if not any(one.values for one in held):
        held = [one._replace(values={SCORE: 0.0}, meanings={SCORE: ScoreMeaning.NONE}) for one in held]
    return dataclasses.replace(joined(held, _GIVEN, None, NBestList.format), origins=())


def _text_and_values(one: Any, number: int) -> tuple[str, dict[str, float], bool]:
    """The text of a candidate, its score and other values if it has any, and whether it is a list of tokens."""
    if isinstance(one, str):
        return one, {}, False
    if isinstance(one, Mapping):
        text = next((one[key] for key in TEXT_NAMES if isinstance(one.get(key), str)), None)
        score = next((one[key] for key in SCORE_NAMES if isinstance(one.get(key), int | float)), None)
        if text is not None:
            return text, {} if score is None else {SCORE: float(score)}, False
    elif isinstance(one, Sequence):
        if len(one) == 2 and isinstance(one[0], str) and isinstance(one[1], int | float):
            return one[0], {SCORE: float(one[1])}, False
        if len(one) == 2 and isinstance(one[0], str) and isinstance(one[1], Mapping):
            return one[0], {str(name): float(value) for name, value in one[1].items()}, False
        if all(isinstance(token, str) for token in one):
            return " ".join(one), {}, True
    raise InputError(
        f"sentence {number}: a candidate of type {type(one).__name__} was not understood.",
        file=_GIVEN,
        hint="Expected: a text, a list of tokens, (text, score), or a dictionary with a text. Decode token ids first.",
    )
