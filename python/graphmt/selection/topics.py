"""Topics of documents: latent Dirichlet allocation."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from graphmt.errors import InputError, MissingPackageError
from graphmt.storage.files import AnyPath, lines, writing_bytes
from graphmt.storage.formats import read_arrays

Array = npt.NDArray[np.float32]

#: Words with fewer occurrences in all documents are ignored.
LEAST = 2

#: Iterations of folding in a document; documents of a few hundred words converge long before.
ROUNDS = 50


@dataclasses.dataclass(frozen=True)
class Topics:
    """The topics of one side: P(word|z), and how the topics of a new document are found."""

    words: tuple[str, ...]
    #: A row for each topic.
    phi: Array
    #: The prior of each topic in a document.
    alpha: Array

    def of(self, document: Sequence[str]) -> Array:
        """P(z|d), by folding the document in: the most probable one given the topics' words and the prior."""
        known, counts = np.unique(
            [number for word in document if (number := self._numbers.get(word)) is not None], return_counts=True
        )
        topics = len(self.alpha)
        theta: npt.NDArray[np.float64] = np.full(topics, 1 / topics)
        if len(known):
            phi = self.phi[:, known.astype(int)].astype(np.float64)
            for _ in range(ROUNDS):
                mixed = theta @ phi
                theta = theta * (phi @ (counts / mixed)) + self.alpha
                theta /= theta.sum()
        return theta.astype(np.float32)

    @property
    def _numbers(self) -> dict[str, int]:
        cached: dict[str, int] | None = self.__dict__.get("_cached")
        if cached is None:
            cached = {word: number for number, word in enumerate(self.words)}
            self.__dict__["_cached"] = cached
        return cached

    def save(self, path: AnyPath) -> None:
        """Write the topics to a file."""
        with writing_bytes(path) as stream:
            np.savez_compressed(stream, words=np.array(self.words), phi=self.phi, alpha=self.alpha)

    @classmethod
    def load(cls, path: AnyPath) -> Topics:
        """Read topics from a file."""
        try:
            words, phi, alpha = read_arrays(path, ("words", "phi", "alpha"))
            if words.dtype.kind != "U" or phi.ndim != 2 or phi.shape != (*alpha.shape, *words.shape):
                raise ValueError
            if not all(one.dtype.kind == "f" and np.isfinite(one).all() and (one >= 0).all() for one in (phi, alpha)):
                raise ValueError
            return cls(tuple(words.tolist()), phi, alpha)
        except (OSError, ValueError):
            raise _damaged(path) from None


def _damaged(path: AnyPath) -> InputError:
    return InputError("not a topic file, or damaged.", file=path, hint="Copy or train the model again.")


def require_topics() -> Any:
    """Import tomotopy, or raise an error that says how to install it."""
    try:
        import tomotopy
    except ModuleNotFoundError:
        raise MissingPackageError(
            "topics need the package tomotopy.", hint="Install it: pip install 'graphmt[selection]'."
        ) from None
    return tomotopy


def learn(
    texts: Sequence[Sequence[str]], number: int, *, iterations: int, seed: int, most_frequent: int
) -> tuple[Topics, list[npt.NDArray[np.int16]]]:
    """Topics of documents given as words, and the topic of each word (-1: none) in each document."""
    tomotopy = require_topics()
    counts = Counter[str]()
    for text in texts:
        counts.update(text)
    frequent = sum(1 for count in counts.values() if count >= LEAST)
    if frequent <= most_frequent:
        raise InputError(
            f"{frequent} words occur at least {LEAST} times, and the {most_frequent} most frequent are ignored: no "
            "words remain to learn topics from.",
            hint="Lower most_frequent in [tsm], or train tsm on more text.",
        )
    model: Any = tomotopy.LDAModel(k=number, seed=seed, min_cf=LEAST, rm_top=most_frequent)
    kept = [bool(text) for text in texts]
    for text in texts:
        if text:
            model.add_doc(text)
    # One worker: with several, the result would depend on timing. One iteration per call, with the same result,
    # because signals wait until a call returns.
    for _ in range(iterations):
        model.train(1, workers=1)
    phi = np.array([model.get_topic_word_dist(topic) for topic in range(number)], dtype=np.float32)
    topics = Topics(tuple(model.used_vocabs), phi, np.array(model.alpha, dtype=np.float32))
    found = iter(model.docs)
    nothing = np.empty(0, dtype=np.int16)
    return topics, [np.array(next(found).topics, dtype=np.int16) if there else nothing for there in kept]


def texts(path: AnyPath, numbers: Sequence[int]) -> list[list[str]]:
    """The words of each document of a text with one sentence per line."""
    made: list[list[str]] = [[] for _ in range(max(numbers, default=-1) + 1)]
    # Each distinct word is stored once.
    known: dict[str, str] = {}
    for number, line in zip(numbers, lines(path), strict=True):
        words = line.split()
        made[number].extend(map(known.setdefault, words, words))
    return made
