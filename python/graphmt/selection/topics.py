"""Topics of documents: latent Dirichlet allocation, and where documents begin and end."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphmt.errors import InputError, MissingPackageError
from graphmt.files import AnyPath, lines, writing_bytes

Array = npt.NDArray[np.float32]

#: What begins a document, as a comment in CoNLL-U.
NEW_DOCUMENT = "# newdoc"

#: Rounds of folding in a document; the topics of a document of a few hundred words stand still long before.
ROUNDS = 50


def documents(marks: Iterable[bool], length: int) -> list[int]:
    """The number of each sentence's document. ``marks`` says which sentences begin one; where none does, documents
    have ``length`` sentences (0: all are one)."""
    begins = list(marks)
    if any(begins):
        return [max(0, number) for number in (np.cumsum(begins) - int(begins[0])).tolist()]
    return [k // length if length else 0 for k in range(len(begins))]


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
        """Read them."""
        try:
            with np.load(Path(path), allow_pickle=False) as content:
                return cls(tuple(content["words"].tolist()), content["phi"], content["alpha"])
        except (OSError, ValueError, KeyError):
            raise InputError("no file of topics, or a damaged one.", file=path) from None


def learn(
    texts: Sequence[Sequence[str]], number: int, *, iterations: int, seed: int, most_frequent: int
) -> tuple[Topics, list[npt.NDArray[np.int16]]]:
    """Topics of documents given as words, and the topic of each word (-1: none) in each document."""
    try:
        import tomotopy
    except ModuleNotFoundError:
        raise MissingPackageError(
            "topics need the package tomotopy.", hint="Install it: pip install 'graphmt[selection]'."
        ) from None
    model: Any = tomotopy.LDAModel(k=number, seed=seed, min_cf=2, rm_top=most_frequent)
    kept = [bool(text) for text in texts]
    for text in texts:
        if text:
            model.add_doc(text)
    # One worker: with several the outcome would depend on which is faster.
    model.train(iterations, workers=1)
    phi = np.array([model.get_topic_word_dist(topic) for topic in range(number)], dtype=np.float32)
    topics = Topics(tuple(model.used_vocabs), phi, np.array(model.alpha, dtype=np.float32))
    found = iter(model.docs)
    nothing = np.empty(0, dtype=np.int16)
    return topics, [np.array(next(found).topics, dtype=np.int16) if there else nothing for there in kept]


def texts(path: AnyPath, numbers: Sequence[int]) -> list[list[str]]:
    """The words of each document of a text, a sentence a line."""
    made: list[list[str]] = [[] for _ in range(max(numbers, default=-1) + 1)]
    for number, words in zip(numbers, _words(path), strict=True):
        made[number].extend(words)
    return made


def _words(path: AnyPath) -> Iterator[list[str]]:
    return (line.split() for line in lines(path))
