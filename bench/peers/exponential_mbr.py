"""MBR by sentence BLEU with the smoothing of sacreBLEU, to check why choices of another package differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from graphmt.consensus import NBestList

ORDERS = 4
Counts = list[Counter[tuple[str, ...]]]


def chosen(one: NBestList, column: str) -> str:
    """The candidate with the largest expected BLEU, with the softmax of a column as weights."""
    words = [text.split() for text in one.texts]
    counts = [_counts(own) for own in words]
    scores = one.values[:, one.features.index(column)]
    weights = np.exp(scores - scores.max())
    expected = [
        sum(weight * sentence_bleu(own, other) for weight, other in zip(weights, counts, strict=True)) for own in counts
    ]
    return one.texts[int(np.argmax(expected))]


def _counts(words: Sequence[str]) -> Counts:
    return [Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1)) for n in range(1, ORDERS + 1)]


def sentence_bleu(hypothesis: Counts, reference: Counts) -> float:
    """BLEU of the orders that the hypothesis has; each order without a match counts as half the one before."""
    own, other = hypothesis[0].total(), reference[0].total()
    logs, smooth = [], 1.0
    for mine, theirs in zip(hypothesis, reference, strict=True):
        if not mine:
            break
        matches = float((mine & theirs).total())
        if not matches:
            smooth *= 2
            matches = 1 / smooth
        logs.append(math.log(matches / mine.total()))
    if not (hypothesis[0] & reference[0]):
        return 0.0
    return math.exp(min(0.0, 1 - other / own) + sum(logs) / len(logs))
