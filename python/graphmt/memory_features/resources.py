"""The index, language model and lexicon of a memory."""

from __future__ import annotations

import dataclasses
import logging
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from graphmt import _core, align, lm
from graphmt.align import Alignment, AlignOptions, LexicalTable, read_alignment
from graphmt.errors import InputError
from graphmt.evidence import EvidenceOptions, MemoryVectors, SentenceLists, make_index
from graphmt.lm import LanguageModel, LmOptions
from graphmt.memory_features.lexicon import LexicalScorer, Lexicon
from graphmt.memory_features.pairs import MemoryPairs
from graphmt.storage.files import AnyPath, copy_file, writing
from graphmt.storage.temporary import temporary_directory

log = logging.getLogger(__name__)

#: The files of a saved re-ranker.
LM_FILE, LEXICON_FILE = "lm.bin", "lexicon.npz"


@dataclasses.dataclass(frozen=True)
class GivenFiles:
    """Files to use instead of training on the memory."""

    #: A binary language model of the target language.
    lm: AnyPath | None = None
    #: The prefix of two lexical tables, ``PREFIX.f2e`` and ``PREFIX.e2f``.
    lexicon: AnyPath | None = None
    #: Word alignment of the memory, a line for each pair.
    alignment: AnyPath | None = None

    def opened(self, groups: Collection[str]) -> OpenedFiles:
        """The files that the groups use, read."""
        has_lexicon = "lexicon" in groups
        return OpenedFiles(
            lm.load(self.lm) if self.lm is not None and "lm" in groups else None,
            LexicalTable.load(self.lexicon) if self.lexicon is not None and has_lexicon else None,
            read_alignment(self.alignment) if self.alignment is not None and has_lexicon else None,
            self.alignment,
        )


@dataclasses.dataclass(frozen=True)
class OpenedFiles:
    """What :class:`GivenFiles` contain, read before any work on the memory."""

    language_model: LanguageModel | None = None
    table: LexicalTable | None = None
    links: Alignment | None = None
    #: The file of the links.
    alignment: AnyPath | None = None

    def check(self, pairs: MemoryPairs) -> None:
        """Reject links of another number of pairs."""
        if self.links is not None and len(self.links) != pairs.whole:
            raise InputError(f"links of {len(self.links)} pairs; the memory has {pairs.whole}.", file=self.alignment)

    def links_of(self, pairs: MemoryPairs) -> Alignment | None:
        """The links of some pairs of the memory."""
        if self.links is None:
            return None
        return self.links if pairs.kept is None else Alignment.from_pairs([self.links[k] for k in pairs.kept.tolist()])


@dataclasses.dataclass(frozen=True)
class MemoryResources:
    """Whatever the asked groups need of a memory; the rest is None."""

    options: EvidenceOptions
    #: Whether the language model and the lexicon are of lower-cased text.
    lowercase: bool
    index: _core.MemoryIndex | None = None
    language_model: LanguageModel | None = None
    lexicon: LexicalScorer | None = None
    #: Holds temporary files as long as they are used.
    folder: tempfile.TemporaryDirectory[str] | None = None
    #: The vectors of the memory's sources, for neighbours by meaning.
    vectors: MemoryVectors | None = None

    def with_neighbours(self, lists: SentenceLists) -> SentenceLists:
        """Sentences with their neighbours by vectors, if the memory has vectors."""
        if self.vectors is not None and lists.by_vectors is None:
            return self.vectors.neighbours(lists)
        if self.vectors is None and lists.vectors is not None:
            raise InputError("the sentences have vectors, the memory has none.", hint="Give those of the memory.")
        return lists

    def save(self, folder: Path) -> None:
        """Write the language model and the lexicon into a folder."""
        if self.language_model is not None:
            copy_file(self.language_model.path, folder / LM_FILE)
        if self.lexicon is not None:
            self.lexicon.lexicon.save(folder / LEXICON_FILE)


def make_resources(
    pairs: MemoryPairs,
    groups: Collection[str],
    options: EvidenceOptions,
    *,
    lowercase: bool,
    files: GivenFiles | OpenedFiles | None = None,
    vectors: MemoryVectors | None = None,
) -> MemoryResources:
    """Index a memory, train a language model of its target side, and align it, as the groups need."""
    opened = files if isinstance(files, OpenedFiles) else (files or GivenFiles()).opened(groups)
    opened.check(pairs)
    folder = temporary_directory("memory") if "lm" in groups and opened.language_model is None else None
    return MemoryResources(
        options,
        lowercase,
        make_index(pairs, options) if "memory" in groups else None,
        _language_model(pairs, opened, folder, options.threads, lowercase) if "lm" in groups else None,
        LexicalScorer(_lexicon(pairs, opened, options.threads, lowercase)) if "lexicon" in groups else None,
        folder,
        vectors,
    )


def open_resources(
    saved: Path,
    pairs: MemoryPairs | None,
    groups: Collection[str],
    options: EvidenceOptions,
    *,
    lowercase: bool,
    vectors: MemoryVectors | None = None,
) -> MemoryResources:
    """The files that :meth:`MemoryResources.save` wrote, with the index of a memory."""
    if "memory" in groups and pairs is None:
        raise InputError("the re-ranker uses a translation memory, and none was given.", hint="Give --memory.")
    return MemoryResources(
        options,
        lowercase,
        make_index(pairs, options) if pairs is not None and "memory" in groups else None,
        lm.load(saved / LM_FILE) if "lm" in groups else None,
        LexicalScorer(Lexicon.open(saved / LEXICON_FILE)) if "lexicon" in groups else None,
        vectors=vectors,
    )


def _language_model(
    pairs: MemoryPairs,
    opened: OpenedFiles,
    folder: tempfile.TemporaryDirectory[str] | None,
    threads: int,
    lowercase: bool,
) -> LanguageModel:
    if opened.language_model is not None:
        return opened.language_model
    assert folder is not None
    text, path = pairs.target, Path(folder.name) / LM_FILE
    if lowercase:
        text = Path(folder.name) / "target"
        with writing(text) as stream:
            stream.writelines(f"{target.lower()}\n" for _, target in pairs)
    lm.train(text, path, LmOptions(reserved_words="skip", threads=threads))
    return lm.load(path)


def _lexicon(pairs: MemoryPairs, opened: OpenedFiles, threads: int, lowercase: bool) -> Lexicon:
    if opened.table is not None:
        return Lexicon.from_table(opened.table)

    def side(number: int) -> Iterator[str]:
        return (pair[number].lower() if lowercase else pair[number] for pair in pairs)

    links = opened.links_of(pairs)
    if links is None:
        log.info(
            f"Aligning the {len(pairs):,} pairs of the memory; --alignment or --lexicon uses an existing alignment."
        )
        links = align.align(side(0), side(1), AlignOptions(threads=threads)).alignment
    return Lexicon.from_table(LexicalTable.count(side(0), side(1), links, threads=threads))
