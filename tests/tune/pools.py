"""N-best lists for tests of tuning: made up, small, and a system that serves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from graphmt import _core
from graphmt.tune import NBest

Hypothesis = tuple[list[str], dict[str, float]]


def filled(
    lists: Sequence[Sequence[Hypothesis]],
    references: list[list[list[str]]],
    features: Sequence[str],
    metric: str = "bleu",
) -> _core.NBestLists:
    """The core's lists with all of these hypotheses in them."""
    found = NBest.from_lists(lists, features)
    made = _core.NBestLists(references, len(features), metric=metric)
    made.add(found)
    return made


class Pool:
    """A system that knows many hypotheses for each sentence and gives the n best, as a decoder does."""

    def __init__(self, sentences: int, size: int, seed: int, n_best: int = 20) -> None:
        random = np.random.default_rng(seed)
        self.n_best, self.decoded = n_best, 0
        self.features: Mapping[str, float] = {"good": 0.2, "noise": 1.0, "length": 0.5, "unknown": 100.0}
        vocabulary = [f"w{number}" for number in range(30)]
        self.references, self.pool = [], []
        for _ in range(sentences):
            reference = random.choice(vocabulary, size=8).tolist()
            self.references.append([reference])
            self.pool.append([self._hypothesis(reference, vocabulary, random) for _ in range(size)])

    @staticmethod
    def _hypothesis(reference: list[str], vocabulary: list[str], random: np.random.Generator) -> Hypothesis:
        wrong = int(random.integers(0, 7))
        words = list(reference)
        for place in random.choice(len(words), size=wrong, replace=False):
            words[place] = str(random.choice(vocabulary))
        values = {"good": -float(wrong) + float(random.normal()) * 0.3, "noise": float(random.normal()) * 2}
        return words, {**values, "length": -float(len(words)) + float(random.normal()), "unknown": 0.0}

    def decode(self, weights: Mapping[str, float]) -> NBest:
        self.decoded += 1

        def score(one: Hypothesis) -> float:
            return sum(weights[name] * value for name, value in one[1].items())

        best = [sorted(sentence, key=score, reverse=True)[: self.n_best] for sentence in self.pool]
        return NBest.from_lists(best, list(self.features))
