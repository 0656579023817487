"""What a column of scores means. Systems print sums of log-probabilities, or such sums divided by the length."""

from __future__ import annotations

import enum

#: The column of the model's score.
SCORE = "score"
#: The column of the log-probability, where a format has one beside the score.
LOG_PROBABILITY = "log_probability"


class ScoreMeaning(enum.Enum):
    """What the values of a column are. Their softmax is a posterior only if they are log-probabilities.

    Examples
    --------
    >>> from graphmt.nbest import ScoreMeaning
    >>> ScoreMeaning.NORMALISED.value
    'log-probability normalised by length'
    """

    #: The sum of the tokens' log-probabilities (natural logarithms).
    SUM = "log-probability"
    #: A log-probability divided by the length, or by a power of it.
    NORMALISED = "log-probability normalised by length"
    #: The file does not say.
    UNKNOWN = "unknown"
    #: The file has no scores; every candidate has a 0.
    NONE = "no score"


#: Names of columns that say that they are log-probabilities, in lower case without ``_`` and ``-``.
_SUMS = ("logprob", "logprobability", "logp", "cumulativelogprob", "sumlogprob", "totallogprob")


def meaning_of_name(name: str) -> ScoreMeaning:
    """The meaning of a column as far as its name tells: ``LogProb`` is a sum, ``score`` can be anything."""
    return ScoreMeaning.SUM if name.lower().replace("_", "").replace("-", "") in _SUMS else ScoreMeaning.UNKNOWN
