"""Queries: a model on disk, mapped into memory."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmt import _core
from graphmt.corpus import plain_lines
from graphmt.errors import InputError
from graphmt.lm.train import is_arpa
from graphmt.storage.checks import require_outputs
from graphmt.storage.files import AnyPath

#: Lines scored at a time when text is streamed.
CHUNK = 16384


class WordScore(NamedTuple):
    """One word of a sentence.

    Examples
    --------
    >>> from graphmt import lm
    >>> lm.load("english.lm").full_scores("He flies .")[1].unknown
    True
    """

    word: str
    #: log10 probability.
    log10: float
    #: Length of the n-gram used.
    length: int
    unknown: bool


class LineScores(NamedTuple):
    """Columns over sentences."""

    log10: NDArray[np.float64]
    #: The part due to unknown words.
    log10_unknown: NDArray[np.float64]
    tokens: NDArray[np.uint32]
    unknown: NDArray[np.uint32]


@dataclass(frozen=True)
class Perplexity:
    """Totals over a text; ``tokens`` count ``</s>``.

    Examples
    --------
    >>> from graphmt import lm
    >>> lm.load("english.lm").perplexity("corpus/test.en").sentences
    10
    """

    sentences: int = 0
    tokens: int = 0
    unknown: int = 0
    log10: float = 0.0
    log10_unknown: float = 0.0

    @property
    def perplexity(self) -> float:
        """With unknown words."""
        return _perplexity(self.log10, self.tokens)

    @property
    def perplexity_known(self) -> float:
        """Without unknown words."""
        return _perplexity(self.log10 - self.log10_unknown, self.tokens - self.unknown)

    def plus(self, scores: LineScores) -> Perplexity:
        """The totals with more sentences."""
        return Perplexity(
            self.sentences + len(scores.log10),
            self.tokens + int(scores.tokens.sum()),
            self.unknown + int(scores.unknown.sum()),
            self.log10 + float(scores.log10.sum()),
            self.log10_unknown + float(scores.log10_unknown.sum()),
        )

    def __str__(self) -> str:
        return (
            f"perplexity {self.perplexity:.3f} with unknown words, {self.perplexity_known:.3f} without; "
            f"{self.unknown:,} unknown of {self.tokens:,} tokens in {self.sentences:,} sentences; "
            f"log10 probability {self.log10:.4f}"
        )


class LanguageModel:
    """A model opened with :func:`load`. All scores are log10; sentences are words separated by white space.

    It can be pickled (by the path of its file) and used from several threads.

    Parameters
    ----------
    path
        The binary model.

    Examples
    --------
    >>> from graphmt import lm
    >>> model = lm.load("english.lm")
    >>> model.score("He sleeps .") < 0
    True
    >>> [word.word for word in model.full_scores("He sleeps .")]
    ['He', 'sleeps', '.', '</s>']
    """

    def __init__(self, path: AnyPath) -> None:
        self.path = Path(path)
        self._core = _core.LanguageModel(os.fspath(path))

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return self._core.order

    @property
    def ngrams(self) -> tuple[int, ...]:
        """The number of n-grams of each order."""
        return tuple(self._core.counts)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self._core.size

    def __len__(self) -> int:
        return self._core.counts[0]

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._core.id(word) is not None

    def __iter__(self) -> Iterator[str]:
        """The words of the vocabulary, ``<unk>``, ``<s>`` and ``</s>`` first."""
        return (self._core.word(number) or "" for number in range(len(self)))

    def __repr__(self) -> str:
        return f"LanguageModel({os.fspath(self.path)!r}, order={self.order}, ngrams={sum(self.ngrams)})"

    def __reduce__(self) -> tuple[type[LanguageModel], tuple[Path]]:
        return type(self), (self.path,)

    def score(self, sentence: str, bos: bool = True, eos: bool = True) -> float:
        """The log10 probability; ``bos`` and ``eos`` say whether the text starts and ends a sentence."""
        return self._core.score(sentence, bos, eos)

    def full_scores(self, sentence: str, bos: bool = True, eos: bool = True) -> list[WordScore]:
        """Each word with its log10 probability, the length of the n-gram used, and whether it is unknown."""
        found = self._core.full_scores(sentence, bos, eos)
        return [WordScore(one.word, one.log10, one.length, one.unknown) for one in found]

    def phrase(self, words: str) -> float:
        """The log10 score of words without left context, for estimating future costs."""
        return self._core.phrase(words)

    def score_lines(
        self, lines: list[str], threads: int = 0, bos: bool = True, eos: bool = True
    ) -> NDArray[np.float64]:
        """The log10 probability of each sentence, computed inside the core; ``threads`` 0: all cores."""
        return self.line_scores(lines, threads, bos, eos).log10

    def line_scores(self, lines: list[str], threads: int = 0, bos: bool = True, eos: bool = True) -> LineScores:
        """As :meth:`score_lines`, with the numbers of tokens and unknown words."""
        found = self._core.score_lines(lines, bos, eos, threads)
        return LineScores(found.log10, found.log10_unknown, found.tokens, found.unknown)

    def stream_scores(self, text: AnyPath | Iterable[str], threads: int = 0) -> Iterator[tuple[list[str], LineScores]]:
        """Chunks of a text (a file, ``-`` for standard input, or sentences) with their scores."""
        source = iter(plain_lines(text) if isinstance(text, str | os.PathLike) else text)
        while chunk := list(itertools.islice(source, CHUNK)):
            yield chunk, self.line_scores(chunk, threads)

    def perplexity(self, text: AnyPath | Iterable[str], threads: int = 0) -> Perplexity:
        """Totals over a file or over sentences."""
        totals = Perplexity()
        for _, scores in self.stream_scores(text, threads):
            totals = totals.plus(scores)
        if not totals.sentences:
            raise InputError("no sentences, so perplexity is undefined.", file=_name(text))
        return totals

    def to_arpa(self, path: AnyPath) -> None:
        """Write the model as an ARPA file, gzip if the name ends in ``.gz``."""
        require_outputs(path, inputs=[self.path])
        self._core.to_arpa(os.fspath(path), tempfile.gettempdir())

    def verify(self) -> None:
        """Read the whole file and verify its checksums; :func:`load` does so up to 512 MiB."""
        self._core.verify()


def load(path: AnyPath) -> LanguageModel:
    """Open a binary model by memory-mapping it.

    Parameters
    ----------
    path
        The binary model.

    Returns
    -------
    LanguageModel
        The model.

    Raises
    ------
    InputError
        If the file is not a binary model, or is damaged.

    Examples
    --------
    >>> from graphmt import lm
    >>> lm.load("english.lm").order
    5
    """
    if is_arpa(path):
        raise InputError(
            "this looks like an ARPA file; a binary model was expected.",
            file=path,
            hint="Convert it with graphmt.lm.build or graphmt lm build.",
        )
    return LanguageModel(path)


def _name(text: AnyPath | Iterable[str]) -> AnyPath | None:
    return text if isinstance(text, str | os.PathLike) else None


def _perplexity(log10: float, tokens: int) -> float:
    try:
        return 10.0 ** (-log10 / tokens) if tokens else float("nan")
    except OverflowError:
        return float("inf")
