"""What can be told from the lists and the memory: the case of the text, and the column of log-probabilities."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from graphmt.consensus.options import AUTO, RerankOptions
from graphmt.nbest.scores import SCORE

log = logging.getLogger(__name__)

#: Names of log-probabilities, in lower case without ``-`` and ``_``.
LOG_PROBABILITIES = ("logprob", "logprobability", "logp")


def score_column(features: Sequence[str], options: RerankOptions) -> str:
    """The column of the model's score: the one that the options name, or a log-probability, or the score."""
    if options.score != AUTO:
        return options.score
    plain = (name.lower().replace("-", "").replace("_", "") for name in features)
    known = dict(zip(plain, features, strict=True))
    return next((known[name] for name in LOG_PROBABILITIES if name in known), SCORE)


def has_capitals(texts: Iterable[str]) -> bool:
    """Whether a letter of the texts is upper case."""
    return any(text != text.lower() for text in texts)


def ignores_case(candidates: Iterable[str], targets: Iterable[str]) -> bool:
    """Whether the candidates are lower-cased and the memory is not; they can only be compared without case."""
    found = not has_capitals(candidates) and has_capitals(targets)
    if found:
        log.info("The lists are in lower case and the memory is not: comparing in lower case.")
    return found
