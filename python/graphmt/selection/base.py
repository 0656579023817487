"""The interface of models of lexical selection."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from graphmt import _core
from graphmt.corpus import TextSteps
from graphmt.options import Options
from graphmt.storage.files import AnyPath


@dataclasses.dataclass(frozen=True)
class Corpus:
    """An aligned corpus during training.

    Examples
    --------
    >>> from graphmt.corpus import TextSteps
    >>> from graphmt.selection import Corpus
    >>> corpus = Corpus("s.txt", "t.txt", "links.gz", None, TextSteps(), TextSteps())
    >>> corpus.trees is None
    True
    """

    #: The texts as the models see them.
    source: AnyPath
    target: AnyPath
    alignment: AnyPath
    #: The source side as CoNLL-U with the same tokens, where there is one.
    trees: AnyPath | None
    #: The steps applied to the texts.
    source_steps: TextSteps
    target_steps: TextSteps
    #: The rule table of the system, and how its rules were extracted.
    rules: AnyPath = ""
    settings: _core.ExtractSettings | None = None
    #: The first sentence of each file, if the corpus was joined from several.
    begins: tuple[int, ...] = ()

    @property
    def files(self) -> _core.CorpusFiles:
        """The files as the core takes them."""
        return _core.CorpusFiles(self.source, self.target, self.alignment, self.trees)


class DocumentReader(Protocol):
    """Finds the topics of the documents that sentences are from.

    Examples
    --------
    >>> from graphmt.selection import DocumentReader
    >>> class OneTopic:
    ...     length = 10
    ...     def of(self, sentences, begins):
    ...         return [[1.0] for _ in sentences]
    >>> reader: DocumentReader = OneTopic()
    """

    #: Sentences of a document where no mark begins one; 0: no limit.
    length: int

    def of(self, sentences: Sequence[Sequence[str]], marks: Sequence[bool]) -> list[list[float]]:
        """The topics of each sentence's document; ``marks`` says which sentences begin one."""


@dataclasses.dataclass(frozen=True)
class SelectionModel:
    """A model of lexical selection; its options are those of the stage with its name.

    Examples
    --------
    >>> from graphmt.selection import MODELS
    >>> MODELS["gm"].name, sorted(MODELS)
    ('gm', ['dwl', 'gm', 'lrsm', 'order', 'tsm'])
    """

    name: str
    #: One line for help texts.
    summary: str
    #: The features that it adds, each with its initial weight.
    features: Mapping[str, float]
    #: Its files in a model's folder.
    files: tuple[str, ...]
    #: Whether source sentences need dependency trees.
    needs_trees: bool
    #: Trains it on a corpus with its options, writes its files into a folder and returns a report.
    train: Callable[[Corpus, Path, Any], dict[str, Any]]
    #: The options of the search that it reads (None: none); they are refused without it.
    search_options: type[Options] | None
    #: Opens it from a model's folder, with the options of the search by name.
    open: Callable[[Path, Mapping[str, Any]], _core.Selector]
    #: Files that exist only with some options.
    optional: tuple[str, ...] = ()
    #: Checks for the packages and files that training with its options needs, before any work is done.
    require: Callable[[Any], object] = lambda options: None
    #: Values of search options that training with its options implies, unless others were given.
    search_defaults: Callable[[Any], dict[str, Any]] = lambda options: {}
    #: For a model that reads whole documents: opens what finds their topics, from a model's folder, with the options
    #: of the search and its own options by name.
    open_documents: Callable[[Path, Mapping[str, Any], Mapping[str, Any]], DocumentReader] | None = None

    @property
    def search(self) -> tuple[str, ...]:
        """The names of the search options that it reads."""
        return () if self.search_options is None else tuple(one.name for one in dataclasses.fields(self.search_options))

    def files_in(self, folder: Path) -> tuple[str, ...]:
        """Its files in a folder: the required ones, and the optional ones that exist."""
        return (*self.files, *(file for file in self.optional if (folder / file).exists()))
