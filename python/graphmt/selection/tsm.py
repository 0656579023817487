"""Topic similarity: prefers rules from documents on the same topics as the one being translated.

Xiao, Xiong, Zhang, Liu and Lin (2012), "A topic similarity model for hierarchical phrase-based translation".
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmt import _core
from graphmt.corpus import read_trees
from graphmt.corpus.documents import begins_document
from graphmt.errors import InputError
from graphmt.progress import phases, sentences_in
from graphmt.selection.base import Corpus, SelectionModel
from graphmt.selection.documents import documents
from graphmt.selection.options import TsmOptions, TsmSearchOptions
from graphmt.selection.topics import Topics, learn, require_topics, texts
from graphmt.storage.files import AnyPath, lines
from graphmt.storage.temporary import temporary_folder

log = logging.getLogger(__name__)

#: The files in a model's folder: topics of rules, and topics of source words.
FILE, TOPICS = "tsm.bin", "topics.npz"


@dataclasses.dataclass(frozen=True)
class CorpusTopics:
    """What topic models say of a corpus."""

    #: The document of each sentence pair.
    documents: Sequence[int]
    #: P(z|d), a row for each document, of either side.
    source: NDArray[np.float32]
    target: NDArray[np.float32]
    #: The topic of each word of the corpus, sentence after sentence; below zero for words that have none.
    source_words: NDArray[np.int16]
    target_words: NDArray[np.int16]


def train_tsm(corpus: Corpus, folder: Path, options: TsmOptions | Mapping[str, Any] | None = None) -> dict[str, int]:
    """Learn topics, assign each rule those of its documents, and write both into a folder."""
    options = TsmOptions.of(options)
    numbers = documents(_marks(corpus), options.document_length)
    log.info("Learning topics.")
    sides = []
    for path in (corpus.source, corpus.target):
        of_documents = texts(path, numbers)
        topics, words = learn(
            of_documents,
            options.topics,
            iterations=options.iterations,
            seed=options.seed,
            most_frequent=options.most_frequent,
        )
        sides.append((topics, np.array([topics.of(text) for text in of_documents], dtype=np.float32), words))
    (source, source_documents, source_words), (_, target_documents, target_words) = sides
    source.save(folder / TOPICS)
    found = CorpusTopics(
        numbers, source_documents, target_documents, np.concatenate(source_words), np.concatenate(target_words)
    )
    with temporary_folder("tsm") as temporary, phases(sentences_in(corpus.source)) as report:
        rules = _core.train_tsm(corpus, folder / FILE, options, found, folder=temporary, progress=report)
    return {"documents": len(source_documents), "rules": rules}


class DocumentTopics:
    """Finds the topics of the documents that sentences are from."""

    def __init__(self, folder: Path, length: int, number: int) -> None:
        self._topics, self.length = Topics.load(folder / TOPICS), length
        if (found := len(self._topics.alpha)) != number:
            raise InputError(
                f"{found} topics; the model was trained with {number}.",
                file=folder / TOPICS,
                hint="It belongs to another model: copy or train this one again.",
            )

    def of(self, sentences: Sequence[Sequence[str]], marks: Sequence[bool]) -> list[list[float]]:
        """For each sentence P(z|d) of its document; ``marks`` says which sentences begin one."""
        numbers = documents(marks, self.length)
        words: dict[int, list[str]] = {}
        for number, sentence in zip(numbers, sentences, strict=True):
            words.setdefault(number, []).extend(sentence)
        found = {number: self._topics.of(text).tolist() for number, text in words.items()}
        return [found[number] for number in numbers]


def _marks(corpus: Corpus) -> list[bool]:
    """Which sentences begin a document: those with a mark, and the first of each file where there are several."""
    if corpus.trees is None:
        marks = [False] * _count(corpus.source)
    else:
        marks = [begins_document(tree.comments) for tree in read_trees(corpus.trees)]
    for first in corpus.begins:
        marks[first] = True
    return marks


def _count(path: AnyPath) -> int:
    return sum(1 for _ in lines(path))


def _train(corpus: Corpus, folder: Path, options: Any) -> dict[str, Any]:
    return dict(train_tsm(corpus, folder, options))


def _open_documents(folder: Path, search: Mapping[str, Any], own: Mapping[str, Any]) -> DocumentTopics:
    return DocumentTopics(folder, search["document_length"], own.get("topics", TsmOptions().topics))


TSM = SelectionModel(
    name="tsm",
    summary="topic similarity: rules from documents on the same topics",
    features={
        "topic_distance_source": -0.1,
        "topic_distance_target": -0.1,
        "topic_entropy_source": 0.0,
        "topic_entropy_target": 0.0,
    },
    files=(FILE, TOPICS),
    needs_trees=False,
    train=_train,
    search_options=TsmSearchOptions,
    require=lambda options: require_topics(),
    search_defaults=lambda options: {"document_length": options.document_length},
    open=lambda folder, search: _core.open_tsm(folder / FILE),
    open_documents=_open_documents,
)
