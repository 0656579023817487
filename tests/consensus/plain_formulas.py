"""Formulas (3) and (7) to (11) written out word by word, for comparison with the core."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


def ngrams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[k : k + n]) for k in range(len(words) - n + 1)]


def i_bleu(hypothesis: Sequence[str], reference: Sequence[str], i: int) -> float:
    """IBM BLEU with n-grams up to i: brevity penalty times the geometric mean of clipped precisions."""
    if not hypothesis:
        return 0.0
    product = 1.0
    for n in range(1, i + 1):
        own = Counter(ngrams(hypothesis, n))
        if not own:
            return 0.0
        product *= sum((own & Counter(ngrams(reference, n))).values()) / sum(own.values())
    brevity = 1.0 if len(hypothesis) >= len(reference) else math.exp(1 - len(reference) / len(hypothesis))
    return brevity * product ** (1 / i)


def sentence_bleu(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """Formula (10)."""
    return sum(i_bleu(hypothesis, reference, i) / 2 ** (4 - i + 1) for i in range(1, 5))


def similarity(one: str, other: str) -> float:
    """Formula (10) in both directions, averaged; equal strings have 1."""
    a, b = one.split(), other.split()
    return 1.0 if a == b else (sentence_bleu(a, b) + sentence_bleu(b, a)) / 2


def dice(one: str, other: str, n: int) -> float:
    a, b = one.split(), other.split()
    if a == b:
        return float(bool(a))
    left, right = set(ngrams(a, n)), set(ngrams(b, n))
    return 2 * len(left & right) / (len(left) + len(right)) if left or right else 0.0


def transfer(label: str, other: str, others: Sequence[str], n: int) -> float:
    """T_l, formula (8): normalised over the labels of the neighbour."""
    total = sum(dice(label, one, n) for one in others)
    return dice(label, other, n) / total if total else 0.0


def propagated(
    sources: Sequence[str],
    lists: Sequence[Sequence[str]],
    posteriors: Sequence[Sequence[float]],
    memory: dict[str, dict[str, float]],
    *,
    threshold: float,
    n: int,
    rounds: int,
) -> list[list[float]]:
    """Formula (7), all open nodes at once in each round; a node without neighbours keeps its posteriors.

    Nodes that hear from no fixed one, not even through others, have the mean of the last two rounds, if there are two.
    """
    p = before = [list(own) for own in posteriors]
    for _ in range(rounds):
        before, following = p, []
        for node, source in enumerate(sources):
            around: list[tuple[float, Sequence[str], Sequence[float]]] = []
            for known, labels in memory.items():
                if (w := similarity(source, known)) >= threshold:
                    around.append((w, list(labels), list(labels.values())))
            for other, own in enumerate(sources):
                if other != node and (w := similarity(source, own)) >= threshold:
                    around.append((w, lists[other], p[other]))
            if not around:
                following.append(p[node])
                continue
            total = sum(w for w, _, _ in around)
            following.append(
                [
                    sum(
                        w / total * sum(transfer(e, label, labels, n) * q for label, q in zip(labels, ps, strict=True))
                        for w, labels, ps in around
                    )
                    for e in lists[node]
                ]
            )
        p = following

    if rounds == 1:
        return p

    def joined(node: int) -> set[int]:
        return {k for k, other in enumerate(sources) if similarity(sources[node], other) >= threshold}

    anchored = {k for k, own in enumerate(sources) if any(similarity(own, one) >= threshold for one in memory)}
    for _ in sources:
        anchored |= {k for k in range(len(sources)) if joined(k) & anchored}
    means = [[(a + b) / 2 for a, b in zip(*both, strict=True)] for both in zip(p, before, strict=True)]
    return [p[k] if k in anchored else means[k] for k in range(len(sources))]
