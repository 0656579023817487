"""Choices between candidate translations of words, judged by whether the reference has their words."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

#: Parts of speech of content words.
CONTENT = frozenset({"NOUN", "PROPN", "NUM", "VERB", "ADJ", "ADV"})


@dataclasses.dataclass(frozen=True)
class Choice:
    """A word of a sentence in a translation graph, with its candidates."""

    sentence: int
    position: int
    #: For each candidate whether all of its words are in the reference; the empty one never is.
    right: npt.NDArray[np.bool_]
    #: For each candidate p(t|s) over the candidates, and what the walk makes of it.
    association: Array
    probability: Array


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How first choices by some scores do beside those by association."""

    words: int
    #: Words whose first candidate is another one.
    changed: int
    #: Of these: the new one is in the reference and the old one is not; the other way round.
    better: int
    worse: int
    #: Words whose first candidate is in the reference.
    right: int

    @property
    def p(self) -> float:
        """How often chance makes better and worse differ so much or more: two-sided sign test."""
        n, k = self.better + self.worse, max(self.better, self.worse)
        if n == 0:
            return 1.0
        tail = sum(math.comb(n, j) for j in range(k, n + 1)) / 2**n
        return min(1.0, 2 * tail)


def in_reference(words: Sequence[str], reference: Sequence[str]) -> bool:
    """Whether a candidate's words all occur in a reference. One of no words, or of too many, says nothing."""
    return bool(words) and all(word in reference for word in words)


def first(scores: Array) -> int:
    """The highest score; of equal ones the first candidate, which is as good as any."""
    return int(np.argmax(scores))


def judge(choices: Sequence[Choice], chosen: Callable[[Choice], int | None]) -> Verdict:
    """Judge a way to choose; a word of which it says nothing (None) keeps the candidate with most association."""
    changed = better = worse = right = 0
    for one in choices:
        old = first(one.association)
        said = chosen(one)
        new = old if said is None else said
        changed += new != old
        better += bool(one.right[new] and not one.right[old])
        worse += bool(one.right[old] and not one.right[new])
        right += bool(one.right[new])
    return Verdict(len(choices), changed, better, worse, right)


def by_chance(choices: Sequence[Choice]) -> float:
    """The share of right choices that taking any candidate has in the mean."""
    return float(np.mean([one.right.mean() for one in choices]))


def at_best(choices: Sequence[Choice]) -> float:
    """The share of words that have a right candidate at all."""
    return float(np.mean([one.right.any() for one in choices]))
