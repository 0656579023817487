"""Lexical features of candidates: how well their words translate those of the source."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphmt.align import LexicalTable
from graphmt.corpus.normal_form import normal_form
from graphmt.errors import InputError, in_words
from graphmt.storage.files import AnyPath, writing_bytes
from graphmt.storage.formats import MALFORMED, read_arrays

#: ln p of the target words given the source; ln p of the source words given the target; untranslated source words.
LEXICON_FEATURES = ("memory-lex-target", "memory-lex-source", "memory-untranslated")

#: Added to probabilities before the logarithm.
FLOOR = 1e-3
#: A source word counts as untranslated if no word of the candidate translates it with this probability.
TRANSLATED = 0.02

Values = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Lexicon:
    """p(e|f) and p(f|e) of linked words, sorted by source word."""

    source_words: Sequence[str]
    target_words: Sequence[str]
    #: The entries of source word f are ``starts[f]`` up to ``starts[f + 1]``.
    starts: NDArray[np.int64]
    target: NDArray[np.uint32]
    target_given_source: NDArray[np.float32]
    source_given_target: NDArray[np.float32]

    @classmethod
    def from_table(cls, table: LexicalTable) -> Lexicon:
        """The table of an alignment, without the empty word."""
        columns = table.counts.columns()
        source_words, target_words = table.counts.source_words, table.counts.target_words
        # The empty word has number 0 on both sides.
        kept = (columns.source > 0) & (columns.target > 0)
        source = columns.source[kept].astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=len(source_words)))])
        return cls(
            source_words,
            target_words,
            starts,
            columns.target[kept],
            columns.target_given_source[kept],
            columns.source_given_target[kept],
        )

    def save(self, path: AnyPath) -> None:
        """Write a file that :meth:`open` reads."""
        with writing_bytes(path) as stream:
            np.savez(
                stream,
                source_words=_packed(self.source_words),
                target_words=_packed(self.target_words),
                starts=self.starts,
                target=self.target,
                target_given_source=self.target_given_source,
                source_given_target=self.source_given_target,
            )

    @classmethod
    def open(cls, path: AnyPath) -> Lexicon:
        """Read a file that :meth:`save` wrote."""
        names = [field.name for field in dataclasses.fields(cls)]
        try:
            sources, targets, starts, target, forward, backward = read_arrays(path, names)
            made = cls(
                _unpacked(sources),
                _unpacked(targets),
                starts.astype(np.int64),
                target.astype(np.uint32),
                forward.astype(np.float32),
                backward.astype(np.float32),
            )
        except OSError as error:
            raise in_words(path, error) from None
        except MALFORMED:
            raise InputError("not a lexicon, or damaged.", file=path) from None
        made._check(path)
        return made

    def _check(self, path: AnyPath) -> None:
        sizes = {len(self.target), len(self.target_given_source), len(self.source_given_target)}
        sound = (
            len(sizes) == 1
            and len(self.starts) == len(self.source_words) + 1
            and self.starts[0] == 0
            and self.starts[-1] == len(self.target)
            and bool((np.diff(self.starts) >= 0).all())
            and bool((self.target < len(self.target_words)).all())
            and bool(np.isfinite(self.target_given_source).all() and np.isfinite(self.source_given_target).all())
        )
        if not sound:
            raise InputError("not a lexicon, or damaged.", file=path)


class LexicalScorer:
    """Scores candidates with a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        # Given tables may be in another normal form than the texts, which are in this one.
        self._source = {normal_form(word): number for number, word in enumerate(lexicon.source_words)}
        self._target = {normal_form(word): number for number, word in enumerate(lexicon.target_words)}
        # The column of each target word in the matrices of a sentence; -1: the word is not in its list.
        self._column = np.full(len(lexicon.target_words), -1, dtype=np.int64)

    def features(self, source: str, candidates: Sequence[str]) -> Values:
        """The columns :data:`LEXICON_FEATURES` of a sentence's candidates; all lines are tokenised."""
        found = np.zeros((len(candidates), len(LEXICON_FEATURES)))
        if not candidates:
            return found
        words = source.split()
        texts = [text.split() for text in candidates]
        columns: dict[str, int] = {}
        tokens = np.array([columns.setdefault(word, len(columns)) for text in texts for word in text], dtype=np.int64)
        sizes = np.array([len(text) for text in texts])
        target_given_source, source_given_target = self._matrices(words, columns)
        linked = np.array([self._linked(word) for word in words], dtype=np.bool_)
        # Candidates without words have no tokens to reduce.
        filled = sizes > 0
        starts = (np.cumsum(sizes) - sizes)[filled]
        untranslated = float(linked.sum())
        found[:, 1], found[:, 2] = len(words) * np.log(FLOOR), untranslated
        if not len(starts):
            return found
        best = target_given_source.max(axis=0, initial=0.0)
        found[filled, 0] = np.add.reduceat(np.log(best + FLOOR)[tokens], starts)
        if words:
            explained = np.maximum.reduceat(source_given_target[:, tokens], starts, axis=1)
            found[filled, 1] = np.log(explained + FLOOR).sum(axis=0)
            translated = np.maximum.reduceat(target_given_source[:, tokens], starts, axis=1)
            found[filled, 2] = (linked[:, None] & (translated < TRANSLATED)).sum(axis=0)
        return found

    def _linked(self, word: str) -> bool:
        number = self._source.get(word)
        return number is not None and self.lexicon.starts[number] < self.lexicon.starts[number + 1]

    def _matrices(self, words: Sequence[str], columns: dict[str, int]) -> tuple[Values, Values]:
        """p(e|f) and p(f|e): a row for each source word, a column for each distinct word of the list."""
        made = np.zeros((2, len(words), len(columns)))
        known = [(self._target[word], column) for word, column in columns.items() if word in self._target]
        numbers = [number for number, _ in known]
        self._column[numbers] = [column for _, column in known]
        for row, word in enumerate(words):
            number = self._source.get(word)
            if number is None:
                continue
            entries = slice(self.lexicon.starts[number], self.lexicon.starts[number + 1])
            column = self._column[self.lexicon.target[entries]]
            present = column >= 0
            made[0, row, column[present]] = self.lexicon.target_given_source[entries][present]
            made[1, row, column[present]] = self.lexicon.source_given_target[entries][present]
        self._column[numbers] = -1
        return made[0], made[1]


def _packed(words: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode("utf-8"), dtype=np.uint8)


def _unpacked(found: NDArray[np.uint8]) -> list[str]:
    return found.astype(np.uint8).tobytes().decode("utf-8").split("\n")
