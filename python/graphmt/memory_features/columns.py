"""Feature columns of candidates, from the resources of a memory and fitted classifiers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphmt import _core
from graphmt.errors import OptionError
from graphmt.evidence import CandidatePlace, NgramPosteriors, SentenceLists, make_index
from graphmt.lm import LanguageModel
from graphmt.memory_features.groups import GROUPS, column_names
from graphmt.memory_features.lexicon import LexicalScorer
from graphmt.memory_features.pairs import MemoryPairs
from graphmt.memory_features.resources import MemoryResources

Values = NDArray[np.float64]

#: The length of n-grams by which coverage is measured.
COVERING = 3
#: The classifiers of a saved re-ranker.
PREDICTOR_FILE = "ngrams.bin"


@dataclasses.dataclass(frozen=True)
class FittedFeatures:
    """Resources with the classifiers of n-gram posteriors, if they are used."""

    groups: tuple[str, ...]
    resources: MemoryResources
    posteriors: NgramPosteriors | None = None

    @classmethod
    def fit(
        cls, groups: Sequence[str], resources: MemoryResources, lists: SentenceLists
    ) -> tuple[FittedFeatures, Values]:
        """Fit classifiers to a development set with references.

        Also returns the columns of the development set itself; those of the n-gram posteriors are by cross-fitting.
        """
        ordered = tuple(group for group in GROUPS if group in groups)
        if resources.index is None:
            made = cls(ordered, resources)
            return made, made.columns(lists)
        lists = resources.with_neighbours(lists)
        posteriors, sums = NgramPosteriors.fit(resources.index, lists, resources.options)
        made = cls(ordered, resources, posteriors)
        return made, made._joined(lists, sums)

    @classmethod
    def open(cls, groups: Sequence[str], resources: MemoryResources, saved: Path) -> FittedFeatures:
        """With the classifiers that :meth:`save` wrote."""
        ordered = tuple(group for group in GROUPS if group in groups)
        if resources.index is None:
            return cls(ordered, resources)
        return cls(ordered, resources, NgramPosteriors.open(saved / PREDICTOR_FILE, resources.index, resources.options))

    def with_pairs(self, pairs: MemoryPairs) -> FittedFeatures:
        """The same with the index of another memory, if there is one."""
        if self.posteriors is None:
            return self
        index = make_index(pairs, self.resources.options)
        vectors = self.resources.vectors
        resources = dataclasses.replace(self.resources, index=index, vectors=vectors and vectors.only(None))
        return dataclasses.replace(
            self, resources=resources, posteriors=dataclasses.replace(self.posteriors, index=index)
        )

    def save(self, folder: Path) -> None:
        """Write everything except the memory into a folder."""
        self.resources.save(folder)
        if self.posteriors is not None:
            self.posteriors.save(folder / PREDICTOR_FILE)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return column_names(self.groups)

    def columns(self, lists: SentenceLists) -> Values:
        """The columns :attr:`names` for all candidates, those of the first sentence first."""
        if self.posteriors is None:
            return self._joined(lists, None)
        return self._joined(lists, self.posteriors.candidate_features(self.resources.with_neighbours(lists)))

    def covered_trigrams(self, sources: Sequence[str]) -> NDArray[np.int64]:
        """The number of trigrams of each source that the memory has, and of all; a shorter source is one n-gram."""
        index = self.resources.index
        if index is None:
            raise OptionError("coverage needs the group memory.")
        lowercase = self.resources.options.lowercase
        found = np.zeros((len(sources), 2), dtype=np.int64)
        for place, source in enumerate(sources):
            words = (source.lower() if lowercase else source).split()
            size = min(COVERING, len(words))
            ngrams = [" ".join(words[k : k + size]) for k in range(len(words) - size + 1)] if words else []
            found[place] = sum(index.source_frequency(ngram) > 0 for ngram in ngrams), len(ngrams)
        return found

    def explain(self, lists: SentenceLists, place: CandidatePlace) -> list[_core.NgramSupport]:
        """Every distinct n-gram of a candidate with its probability and the memory pairs that support it."""
        return self.posteriors.explain(lists, place) if self.posteriors else []

    def _joined(self, lists: SentenceLists, sums: NDArray[np.float32] | None) -> Values:
        texts = [text for own in lists.candidates for text in own]
        lowercase = self.resources.lowercase
        compared = [text.lower() for text in texts] if lowercase else texts
        columns = [] if sums is None else [sums.astype(np.float64)]
        if self.resources.language_model is not None:
            columns.append(_lm_column(self.resources.language_model, compared, self.resources.options.threads))
        if self.resources.lexicon is not None:
            sources = [source.lower() for source in lists.sources] if lowercase else lists.sources
            columns.append(_lexical_columns(self.resources.lexicon, sources, lists.candidates, compared))
        columns.append(np.array([[len(text.split())] for text in texts], dtype=np.float64).reshape(-1, 1))
        return np.hstack(columns)


def _lm_column(model: LanguageModel, texts: list[str], threads: int) -> Values:
    """ln p of each text."""
    found: Values = model.score_lines(texts, threads)[:, None] * math.log(10)
    return found


def _lexical_columns(
    scorer: LexicalScorer, sources: Sequence[str], candidates: Sequence[Sequence[str]], texts: list[str]
) -> Values:
    ends = np.cumsum([len(own) for own in candidates]).tolist()
    return np.vstack(
        [
            scorer.features(source, texts[end - len(own) : end])
            for source, own, end in zip(sources, candidates, ends, strict=True)
        ]
    )
