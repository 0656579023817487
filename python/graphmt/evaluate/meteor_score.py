"""METEOR 1.5 from counts: the formula of Denkowski and Lavie (2014, "Meteor Universal", section 2)."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

#: The counts of a sentence: lengths and function words of translation and reference; for each of four matchers the
#: matched content words of both and the function words of both; chunks; and all matched words of both.
COUNTS = 4 + 4 * 4 + 3
_CHUNKS = 20


@dataclasses.dataclass(frozen=True)
class Parameters:
    """Tuned for a language: the balance of precision and recall, the penalty of chunks, and weights of matches."""

    #: The weight of recall.
    alpha: float
    #: The exponent and the weight of the penalty.
    beta: float
    gamma: float
    #: The weight of content words; function words have the rest.
    delta: float
    #: Of each matcher: exact, and as the language has them, stem, synonym and paraphrase.
    weights: tuple[float, ...]
    #: The name of its table of paraphrases, if it has one.
    paraphrases: str = ""

    def score(self, counts: npt.NDArray[np.float64]) -> float:
        """The score, from 0 to 1, of counts, of one sentence or summed over several."""
        lengths, functions = counts[:2], counts[2:4]
        matches = counts[4:_CHUNKS].reshape(4, 2, 2)[: len(self.weights)]
        by_kind = np.array([self.delta, 1 - self.delta])
        matched = np.array(self.weights) @ (by_kind @ matches)
        if not matched.all():
            return 0.0
        precision, recall = matched / (by_kind @ np.array([lengths - functions, functions]))
        chunks, *words = counts[_CHUNKS:]
        penalty = self.gamma * (chunks / (sum(words) / 2)) ** self.beta
        mean = 1 / ((1 - self.alpha) / precision + self.alpha / recall)
        return float(max(mean * (1 - penalty), 0.0))


def additive(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The counts with which sentences are summed: a sentence that matches as a whole, in one chunk, counts none."""
    matched = rows[:, 4:_CHUNKS].reshape(-1, 8, 2).sum(1)
    whole = (matched == rows[:, :2]).all(1) & (rows[:, _CHUNKS] == 1)
    found: npt.NDArray[np.float64] = rows.copy()
    found[whole, _CHUNKS] = 0
    return found


_INDEPENDENT = Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5))
_CZECH = Parameters(0.95, 0.2, 0.6, 0.8, (1.0, 0.4), "cz")

#: By language. Those without parameters of their own share the ones that are independent of the language.
PARAMETERS = {
    "en": Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6), "en"),
    "cs": _CZECH,
    "cz": _CZECH,
    "de": Parameters(0.95, 1.0, 0.55, 0.55, (1.0, 0.8, 0.2), "de"),
    "es": Parameters(0.65, 1.3, 0.5, 0.8, (1.0, 0.8, 0.6), "es"),
    "fr": Parameters(0.9, 1.4, 0.6, 0.65, (1.0, 0.2, 0.4), "fr"),
    "ru": Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5, 0.5), "ru"),
    **dict.fromkeys(("da", "fi", "hu", "it", "nl", "no", "pt", "ro", "se", "sv", "tr"), _INDEPENDENT),
}
