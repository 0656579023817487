"""Interpolated modified Kneser-Ney from its formulas, slowly and plainly; scores by definition.

Chen and Goodman 1998, section 4.1.6 and equation 26, with what lmplz adds: n-grams that start with ``<s>``
keep their counts, unigrams are interpolated with the uniform distribution over all words but ``<s>``, and
pruned n-grams leave their counts to the shorter context.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

BOS, EOS, UNK = "<s>", "</s>", "<unk>"
FALLBACK = (0.5, 1.0, 1.5)

Ngram = tuple[str, ...]
Model = dict[Ngram, tuple[float, float]]


def _discounts(adjusted: Sequence[int]) -> tuple[float, float, float]:
    n = [sum(count == k for count in adjusted) for k in (1, 2, 3, 4)]
    if 0 in n[:3]:
        return FALLBACK
    y = n[0] / (n[0] + 2 * n[1])
    found = tuple(k - (k + 1) * y * n[k] / n[k - 1] for k in (1, 2, 3))
    if any(not 0 <= d <= k for k, d in enumerate(found, 1)):
        return FALLBACK
    return found  # type: ignore[return-value]


def estimate(sentences: list[list[str]], order: int, prune: Sequence[int] = ()) -> Model:
    """Every n-gram of the model with its probability and backoff weight (plain numbers, not logarithms)."""
    thresholds = [*prune, *[prune[-1] if prune else 0] * (order - len(prune))]
    seen: list[Counter[Ngram]] = [Counter() for _ in range(order + 1)]
    for words in sentences:
        padded = [BOS, *words, EOS]
        for n in range(1, order + 1):
            for start in range(len(padded) - n + 1):
                seen[n][tuple(padded[start : start + n])] += 1
    del seen[1][(BOS,)]
    before: dict[Ngram, set[str]] = defaultdict(set)
    for n in range(2, order + 1):
        for gram in seen[n]:
            before[gram[1:]].add(gram[0])

    model: Model = {}
    weights: list[dict[Ngram, float]] = [{} for _ in range(order + 1)]
    for n in range(1, order + 1):
        raw = n == order
        adjusted = {g: c if raw or g[0] == BOS else len(before[g]) for g, c in seen[n].items()}
        d = _discounts(list(adjusted.values()))
        special = {(BOS,), (EOS,), (UNK,)}
        kept = {g for g in adjusted if seen[n][g] > thresholds[n - 1] or g in special}
        if n == 1:
            adjusted |= {(UNK,): 0, (BOS,): 0}
            kept |= {(UNK,), (BOS,)}
        by_context: dict[Ngram, list[Ngram]] = defaultdict(list)
        for gram in adjusted:
            by_context[gram[:-1]].append(gram)
        for context, grams in by_context.items():
            total = sum(adjusted[g] for g in grams)
            left = sum(_taken(adjusted[g], d) if g in kept else adjusted[g] for g in grams)
            weights[n][context] = left / total
            for gram in grams:
                if gram not in kept:
                    continue
                lower = 1 / (len(kept) - 1) if n == 1 else model[gram[1:]][0]
                share = (adjusted[gram] - _taken(adjusted[gram], d)) / total
                model[gram] = (share + weights[n][context] * lower, 1.0)
        if n == 1:
            model[(BOS,)] = (1.0, 1.0)
    for gram, (prob, _) in list(model.items()):
        if len(gram) < order:
            model[gram] = (prob, weights[len(gram) + 1].get(gram, 1.0))
    return model


def _taken(count: int, discounts: tuple[float, float, float]) -> float:
    return 0.0 if count == 0 else discounts[min(count, 3) - 1]


def read_arpa(path: Path) -> Model:
    """Every n-gram of an ARPA file with its log10 probability and log10 backoff."""
    model: Model = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) >= 2:
            model[tuple(fields[1].split(" "))] = (
                float(fields[0]),
                float(fields[2]) if len(fields) > 2 else 0.0,
            )
    return model


def log10(model: Model) -> Model:
    return {g: tuple(math.log10(x) if x > 0 else -99.0 for x in scores) for g, scores in model.items()}  # type: ignore[misc]


def word_score(model: Model, context: Sequence[str], word: str, order: int) -> tuple[float, int]:
    """The log10 probability of a word after all before it, and the n-gram's length; backs off until found."""
    words = [w if (w,) in model else UNK for w in [*context, word]]
    gram = tuple(words[-order:])
    charge = 0.0
    while gram not in model:
        charge += model.get(gram[:-1], (0.0, 0.0))[1]
        gram = gram[1:]
    return model[gram][0] + charge, len(gram)


def sentence_scores(model: Model, words: Sequence[str], order: int, start: Sequence[str] = (BOS,)) -> list[float]:
    history = list(start)
    scores = []
    for word in words:
        scores.append(word_score(model, history, word, order)[0])
        history.append(word)
    return scores
