"""Which of the models' languages a text is in: a classifier of words and character trigrams.

It is trained on the vocabularies of the served models, so it knows their languages and no others. Words that none of
them has make it less sure of all of them.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from graphmt import _core
from graphmt.model.layout import RULES
from graphmt.protect.items import KIND_OF
from graphmt.server.served import ServedModels

#: Words of a language that are used, and what a known word counts in nats.
MOST_WORDS, KNOWN = 50_000, 3.0
#: The share of probability of trigrams that a language has; the rest is for all others, the same in every language.
SEEN = 0.95
#: What an unknown word whose trigrams are all known counts, relative to a known word, in how well a text fits.
UNKNOWN_WORD = 0.5
#: Words of a text that are looked at.
MOST_READ = 500
_WORD = re.compile(r"[^\W\d_]+")


class LanguageDetector:
    """Naive Bayes over trigrams, with a bonus for words of a language's vocabulary.

    Parameters
    ----------
    vocabularies
        The words of each language, by its code.

    Examples
    --------
    >>> from graphmt.server.detect import LanguageDetector
    >>> detector = LanguageDetector({"de": ["der", "schläft", "nicht"], "en": ["the", "sleeps", "not"]})
    >>> [language for language, _ in detector.detect("der Hund schläft")]
    ['de', 'en']
    """

    def __init__(self, vocabularies: Mapping[str, Iterable[str]]) -> None:
        self._words: dict[str, frozenset[str]] = {}
        counts: dict[str, Counter[str]] = {}
        for language, words in vocabularies.items():
            known = sorted({part for word in words for part in _WORD.findall(word.lower())})[:MOST_WORDS]
            self._words[language] = frozenset(known)
            counts[language] = Counter[str]()
            for word in known:
                _core.point()
                counts[language].update(_trigrams(word))
        rest = (1 - SEEN) / (len(set().union(*counts.values())) + 1)
        self._unseen = math.log(rest)
        self._trigrams = {
            language: {gram: math.log(SEEN * number / own.total() + rest) for gram, number in own.items()}
            for language, own in counts.items()
        }

    def detect(self, text: str, among: Iterable[str] | None = None) -> list[tuple[str, float]]:
        """The languages, the most probable first, each with its probability times how well the text fits it.

        Both are 0 for a text without letters.
        """
        languages = [one for one in self._words if among is None or one in set(among)]
        words = [found[0] for found in islice(_WORD.finditer(text.lower()), MOST_READ)]
        if not words:
            return [(language, 0.0) for language in languages]
        scores = {language: sum(self._score(language, word) for word in words) for language in languages}
        best = max(scores.values(), default=0.0)
        shares = {language: math.exp(score - best) for language, score in scores.items()}
        total = sum(shares.values())
        found = [(language, share / total * self._fit(language, words)) for language, share in shares.items()]
        return sorted(found, key=lambda one: (-one[1], -scores[one[0]]))

    def _score(self, language: str, word: str) -> float:
        known = self._trigrams[language]
        score = sum(known.get(gram, self._unseen) for gram in _trigrams(word[:40]))
        return score + KNOWN * (word in self._words[language])

    def _fit(self, language: str, words: Sequence[str]) -> float:
        """How well words fit a language, from 0 to 1: the share of known ones, and in part those that look like it."""
        known, trigrams = self._words[language], self._trigrams[language]
        fits = 0.0
        for word in words:
            if word in known:
                fits += 1
            else:
                own = _trigrams(word[:40])
                fits += UNKNOWN_WORD * (sum(gram in trigrams for gram in own) / len(own)) ** 2
        return fits / len(words)


class ModelLanguages:
    """The detector of the served models, made anew when one of them is replaced."""

    def __init__(self, models: ServedModels) -> None:
        self._models = models
        self._lock = threading.Lock()
        self._made: tuple[tuple[str, ...], LanguageDetector] | None = None

    def detector(self) -> LanguageDetector:
        """The detector; the first call reads the vocabularies."""
        versions = tuple(one.version for one in self._models)
        with self._lock:
            if self._made is None or self._made[0] != versions:
                self._made = versions, LanguageDetector(self._vocabularies())
            return self._made[1]

    def _vocabularies(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for one in self._models:
            words = _core.RuleTable(one.model.folder / RULES).vocabulary()
            for language, own in zip(one.languages, (words.source, words.target), strict=True):
                found.setdefault(language, set()).update(word for word in own if word not in KIND_OF)
        return found


def _trigrams(word: str) -> list[str]:
    padded = f" {word} "
    return [padded[k : k + 3] for k in range(len(padded) - 2)]
