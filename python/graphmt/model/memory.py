"""A translation memory beside a model: exact matches replace its translations, similar ones are reported."""

from __future__ import annotations

import copy
import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from graphmt import _core
from graphmt.corpus import Tree, read_pairs
from graphmt.corpus.given import text_pairs
from graphmt.errors import InputError
from graphmt.model.model import Model, Prepared
from graphmt.model.translation import Derivation, MemoryMatch, Translation
from graphmt.progress import bar
from graphmt.storage.files import AnyPath, name_of

#: The least similarity of the index at which a source is compared word by word. It measures n-grams, so that one
#: changed word of a short sentence costs much. Below 0.1875 it would miss some: similar sources share three words.
_CANDIDATES = 0.19
#: Candidates that are compared word by word, the most similar first.
_COMPARED = 50
#: The least similarity of matches that are reported, unless another is asked for.
THRESHOLD = 0.8
#: The similarity of sources that differ, but not for the model (in case, or in protected text).
_ALMOST = 0.99


class SentenceMemory:
    """The pairs of a translation memory, as a model sees them.

    Parameters
    ----------
    model
        The model whose sentences are looked up.
    pairs
        Pairs (source, target) of text, prepared as the model's own input is; also a DataFrame or data set of them.
    threshold
        The least similarity of matches that are reported, from 0 to 1: the share of words that need no change.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.model import SentenceMemory
    >>> memory = SentenceMemory(graphmt.load("pbmt"), [("Er schläft .", "He is asleep .")])
    >>> [match.target for match in memory.find(["Er schläft ."])]
    ['He is asleep .']
    """

    def __init__(self, model: Model, pairs: Iterable[Any], *, threshold: float = THRESHOLD) -> None:
        self.model, self.threshold = model, threshold
        counts: Counter[tuple[str, str]] = Counter()
        with bar("pairs of the memory") as advance:
            for number, (source, target) in enumerate(text_pairs(pairs, languages=_languages(model)), 1):
                if source.strip() and target.strip():
                    counts[_normal(source), target] += 1
                advance(number)
        #: The most frequent translation of each source; the first one among several.
        self._exact: dict[str, str] = {}
        for (source, target), _ in counts.most_common():
            self._exact.setdefault(source, target)
        self._texts: dict[str, list[str]] = {}
        for source in self._exact:
            self._texts.setdefault(self._words(source), []).append(source)
        self._index = _core.TranslationMemory(lowercase=False)
        self._index.add(list(self._texts), [""] * len(self._texts))
        self._index.finish()

    @classmethod
    def read(cls, model: Model, files: AnyPath | Sequence[AnyPath], *, threshold: float = THRESHOLD) -> SentenceMemory:
        """The memory of files of pairs: TMX, XLIFF, tab-separated text, gettext catalogues, Parquet."""
        languages = _languages(model)
        named = [files] if isinstance(files, str | os.PathLike) else list(files)
        return cls(model, chain.from_iterable(_pairs(file, languages) for file in named), threshold=threshold)

    def with_model(self, model: Model) -> SentenceMemory:
        """The same memory beside a copy of its model, which may protect more text."""
        other = copy.copy(self)
        other.model = model
        return other

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The sources, each with its most frequent translation."""
        return list(self._exact.items())

    def __len__(self) -> int:
        return len(self._exact)

    def __repr__(self) -> str:
        return f"SentenceMemory({len(self):,} sources, threshold={self.threshold})"

    def find(self, sentences: Sequence[str | Tree], *, threads: int = 0) -> list[MemoryMatch | None]:
        """The best match of each sentence; None below the threshold.

        An exact match is to be taken as the translation, unless it has other protected items than its source,
        contradicts the model's glossary, or spans of the sentence are fixed.
        """
        texts = [_normal(one.text if isinstance(one, Tree) else one) for one in sentences]
        found: list[MemoryMatch | None] = [None] * len(texts)
        others = []
        for place, text in enumerate(texts):
            if (target := self._exact.get(text)) is not None:
                found[place] = self._same(place, sentences[place], text, target)
            elif text:
                others.append(place)
        words = [self._words(texts[place]) for place in others]
        for place, own, near in zip(
            others, words, self._index.neighbours(words, _CANDIDATES, threads=threads), strict=True
        ):
            found[place] = self._nearest(own.split(), near)
        return found

    def translate(
        self,
        sentences: Sequence[str | Tree],
        prepared: list[Prepared],
        n_best: Callable[[list[Prepared]], list[list[Translation]]],
        *,
        threads: int = 0,
    ) -> list[list[Translation]]:
        """The n best of sentences: exact matches from the memory, the others from ``n_best``, with their match."""
        matches = self.find(sentences, threads=threads)
        taken = [match is not None and match.taken for match in matches]
        lists = iter(n_best([one for one, known in zip(prepared, taken, strict=True) if not known]))
        made = []
        for one, match in zip(prepared, matches, strict=True):
            if match is not None and match.taken:
                made.append([self._taken(one, match)])
            else:
                made.append([dataclasses.replace(best, memory=match) for best in next(lists)])
        return made

    def similar(self, sentence: str | Tree, most: int) -> list[MemoryMatch]:
        """The pairs whose sources share three words with a sentence, the most similar first, also below the threshold.

        Parameters
        ----------
        sentence
            A text or a tree.
        most
            The most pairs.

        Returns
        -------
        list[MemoryMatch]
            The pairs.

        Examples
        --------
        >>> import graphmt
        >>> from graphmt.model import SentenceMemory
        >>> pairs = [("Er schläft heute nicht .", "He is not asleep today ."), ("Sie liest .", "She reads .")]
        >>> memory = SentenceMemory(graphmt.load("pbmt"), pairs)
        >>> [match.source for match in memory.similar("Sie schläft heute nicht .", 2)]
        ['Er schläft heute nicht .']
        """
        words = self._words(_normal(sentence.text if isinstance(sentence, Tree) else sentence))
        [near] = self._index.neighbours([words], _CANDIDATES, threads=1)
        ranked = sorted(_scored(words.split(), near), key=lambda one: (-one[0], one[1]))[:most]
        return [
            MemoryMatch(self._texts[known][0], self._exact[self._texts[known][0]], similarity)
            for similarity, known in ranked
        ]

    def _same(self, place: int, sentence: str | Tree, source: str, target: str) -> MemoryMatch:
        """The exact match of a sentence."""
        contradicts = self.model.contradicted_term(sentence, target)
        taken = contradicts is None and not self.model.has_fixed(place) and self._is_whole(source, target)
        return MemoryMatch(source, target, 1.0, taken, contradicts)

    def _taken(self, prepared: Prepared, match: MemoryMatch) -> Translation:
        """A translation from the memory: without derivation, score and features."""
        tokens = self.model.target_steps.prepare(match.target, typed=()).tokens
        derivation = Derivation(tuple(prepared.surface), tuple(prepared.heads), ())
        return Translation(match.target, tokens, 0.0, {}, derivation, memory=match)

    def _words(self, text: str) -> str:
        return self.model.source_steps.apply(text)

    def _is_whole(self, source: str, target: str) -> bool:
        """Whether a pair has the same protected items on both sides."""
        sides = (self.model.source_steps.items(source), self.model.target_steps.items(target))
        return Counter(item.text for item in sides[0]) == Counter(item.text for item in sides[1])

    def _nearest(self, words: list[str], near: Sequence[_core.MemoryNeighbour]) -> MemoryMatch | None:
        scored = _scored(words, near)
        if not scored:
            return None
        similarity, known = max(scored, key=lambda one: one[0])
        if similarity < self.threshold:
            return None
        source = self._texts[known][0]
        return MemoryMatch(source, self._exact[source], min(similarity, _ALMOST))


def _languages(model: Model) -> tuple[str, str]:
    return model.source_steps.options.language, model.target_steps.options.language


def _pairs(file: AnyPath, languages: tuple[str, str]) -> Iterator[tuple[str, str]]:
    is_empty = True
    for source, target in read_pairs(file, languages=languages):
        is_empty = is_empty and not (source.strip() and target.strip())
        yield source, target
    if is_empty:
        raise InputError("this translation memory has no pairs.", file=name_of(file))


def _normal(text: str) -> str:
    return " ".join(text.split())


def _scored(words: list[str], near: Sequence[_core.MemoryNeighbour]) -> list[tuple[float, str]]:
    """The closest neighbours by the index, each with its similarity by edit distance."""
    closest = sorted(near, key=lambda one: (-one.similarity, one.source))[:_COMPARED]
    return [(_similarity(words, one.source.split()), one.source) for one in closest]


def _similarity(left: list[str], right: list[str]) -> float:
    """One minus the edit distance of words, divided by the length of the longer side."""
    row = list(range(len(right) + 1))
    for at, word in enumerate(left, 1):
        diagonal, row[0] = row[0], at
        for place, other in enumerate(right, 1):
            diagonal, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, diagonal + (word != other)),
            )
    return 1 - row[-1] / max(len(left), len(right), 1)
