"""Memory n-gram posteriors as they are defined, without an index: for tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from graphmt.evidence import EvidenceOptions

Words = tuple[str, ...]


def ngrams(words: Sequence[str], length: int) -> list[Words]:
    """Distinct n-grams by first occurrence."""
    return list(dict.fromkeys(tuple(words[at : at + length]) for at in range(len(words) - length + 1)))


def has(words: Sequence[str], ngram: Words) -> bool:
    return ngram in ngrams(words, len(ngram))


def logit(p: float) -> float:
    return math.log(p / (1 - p))


def clipped_logit(p: float) -> float:
    return logit(min(max(p, 1e-6), 1 - 1e-3))


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, 1):
        new = [i]
        for j, other in enumerate(b, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (word != other)))
        row = new
    return row[-1]


class NaiveMemory:
    """A memory without the pairs that are left out."""

    def __init__(
        self, pairs: Sequence[tuple[str, str]], options: EvidenceOptions, left_out: Sequence[int] = ()
    ) -> None:
        self.sources = [source.split() for source, _ in pairs]
        self.targets = [target.split() for _, target in pairs]
        self.options = options
        self.kept = [number for number in range(len(pairs)) if number not in left_out]
        self.numbers: dict[str, int] = {}
        for words in self.sources:
            for word in words:
                self.numbers.setdefault(word, len(self.numbers) + 1)

    def with_source(self, ngram: Words) -> list[int]:
        return [pair for pair in self.kept if has(self.sources[pair], ngram)]

    def with_target(self, ngram: Words) -> list[int]:
        return [pair for pair in self.kept if has(self.targets[pair], ngram)]

    def sample(self, ngram: Words) -> list[int]:
        """Of all occurrences, sorted by the six words from there, at most ``sample``, evenly spaced."""
        found: list[tuple[list[int], int, int]] = []
        for pair, words in enumerate(self.sources):
            for at in range(len(words) - len(ngram) + 1):
                if tuple(words[at : at + len(ngram)]) == ngram:
                    found.append(([self.numbers[word] for word in words[at : at + 6]], pair, at))
        found.sort()
        most = self.options.sample
        if len(found) > most:
            found = [found[k * len(found) // most] for k in range(most)]
        return sorted({pair for _, pair, _ in found} & set(self.kept))

    def background(self, ngram: Words) -> float:
        return (len(self.with_target(ngram)) + 0.5) / (len(self.kept) + 1)

    def source_features(self, x: Sequence[str], ngram: Words) -> Iterator[float]:
        p0 = self.background(ngram)
        value = logit(p0)
        for length in range(1, 7):
            shares = []
            for source in ngrams(x, length):
                if pairs := self.sample(source):
                    count = sum(has(self.targets[pair], ngram) for pair in pairs)
                    prior = self.options.prior
                    shares.append((count + prior * p0) / (len(pairs) + prior))
            if shares:
                value = max(map(clipped_logit, shares))
            yield value

    def neighbours(self, x: Sequence[str]) -> list[tuple[int, float]]:
        sums: dict[int, float] = {}
        for length in range(2, 7):
            for source in ngrams(x, length):
                pairs = self.with_source(source)
                if 0 < len(pairs) < self.options.frequent:
                    for pair in pairs:
                        weight = length * math.log(len(self.kept) / len(pairs))
                        sums[pair] = sums.get(pair, 0.0) + weight
        best = sorted(sums, key=lambda pair: (-sums[pair], pair))[: self.options.compared]
        found = []
        for pair in best:
            longer = max(len(x), len(self.sources[pair]))
            found.append((pair, 1 - edit_distance(x, self.sources[pair]) / longer))
        return sorted(found, key=lambda one: -one[1])[:10]

    def neighbour_features(self, neighbours: Sequence[tuple[int, float]], ngram: Words) -> Iterator[float]:
        shares = []
        for most, power in ((1, 1), (3, 2), (10, 4)):
            weights = [(max(fuzzy, 1e-3) ** power, pair) for pair, fuzzy in neighbours[:most]]
            inside = sum(weight for weight, pair in weights if has(self.targets[pair], ngram))
            shares.append(inside / sum(weight for weight, _ in weights) if weights else 0.0)
        best = neighbours[0][1] if neighbours else 0.0
        yield from shares
        yield from (share * best for share in shares)
        yield best


def list_features(candidates: Sequence[Sequence[str]], scores: Sequence[float], ngram: Words) -> Iterator[float]:
    for scale in (1.0, 0.4):
        weights = [math.exp((score - max(scores)) * scale) for score in scores]
        inside = sum(w for w, words in zip(weights, candidates, strict=True) if has(words, ngram))
        yield clipped_logit(inside / sum(weights))
    yield float(has(candidates[0], ngram))


def rows(
    memory: NaiveMemory, source: str, candidates: Sequence[str], scores: Sequence[float] | None, order: int
) -> dict[str, list[float]]:
    """The features of each n-gram of an order."""
    x, split = source.split(), [candidate.split() for candidate in candidates]
    neighbours = memory.neighbours(x)
    found = {}
    for ngram in dict.fromkeys(ngram for words in split for ngram in ngrams(words, order)):
        found[" ".join(ngram)] = [
            *memory.source_features(x, ngram),
            *memory.neighbour_features(neighbours, ngram),
            *list_features(split, scores or [0.0] * len(split), ngram),
            logit(memory.background(ngram)),
        ]
    return found
