"""Translation memories and training corpora as the graph's labelled nodes."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, tee
from typing import Any

from graphmt import _core
from graphmt.consensus.candidates import comparable
from graphmt.consensus.options import RerankOptions
from graphmt.corpus import Tokeniser, read_pairs
from graphmt.corpus.given import text_pairs
from graphmt.corpus.header import Columns
from graphmt.corpus.pair_files import PairReading
from graphmt.corpus.pairs import require_tables
from graphmt.corpus.stated import corpus_languages
from graphmt.errors import InputError
from graphmt.memory_features import MemoryPairs
from graphmt.progress import bar
from graphmt.storage.files import AnyPath

#: Pairs passed to the core at a time.
CHUNK = 4096


def make_memory(
    pairs: Iterable[Any],
    options: RerankOptions | Mapping[str, Any] | None = None,
    *,
    processes: int = 1,
    name: str | None = None,
) -> _core.TranslationMemory:
    """Index pairs of sentences as a translation memory.

    It takes about 30 bytes per word of both sides.

    Parameters
    ----------
    pairs
        Pairs (source, target), read as a stream; also a DataFrame with two columns of text, or a data set of Hugging
        Face.
    options
        How text is prepared.
    processes
        Processes that share the tokenisation, if the options ask for it.
    name
        The name of the pairs in messages.

    Returns
    -------
    TranslationMemory
        The memory.

    Examples
    --------
    >>> from graphmt.consensus import make_memory
    >>> len(make_memory([("das Haus", "the house"), ("das Buch", "the book")]))
    2
    """
    options = RerankOptions.of(options)
    memory = _core.TranslationMemory(lowercase=bool(options.lowercase))
    rest = _split(text_pairs(pairs), options, processes)
    with bar("pairs of the memory") as advance:
        while chunk := list(islice(rest, CHUNK)):
            memory.add([source for source, _ in chunk], [target for _, target in chunk])
            advance(memory.pairs)
    if not memory.pairs:
        raise InputError("the translation memory is empty.", file=name)
    memory.finish()
    return memory


def stated_options(sources: Sequence[AnyPath], targets: Sequence[AnyPath] = ()) -> dict[str, str]:
    """The options of re-ranking that name the languages of a memory, as its files state them."""
    stated = corpus_languages(sources, targets)
    return {} if stated is None else {"source_language": stated[0], "target_language": stated[1]}


def _split(pairs: Iterator[tuple[str, str]], options: RerankOptions, processes: int) -> Iterator[tuple[str, str]]:
    """The pairs, prepared for comparison as by :func:`graphmt.consensus.candidates.prepared`."""
    pairs = ((comparable(source), comparable(target)) for source, target in pairs)
    if not options.tokenise:
        yield from pairs
        return
    # The first pairs are tokenised here: starting other processes pays off only for many more.
    yield from _tokenised(islice(pairs, CHUNK), options, 1)
    yield from _tokenised(pairs, options, processes)


def _tokenised(pairs: Iterator[tuple[str, str]], options: RerankOptions, processes: int) -> Iterator[tuple[str, str]]:
    sources, targets = tee(pairs)
    return zip(
        Tokeniser(options.source_language).tokenise_all((source for source, _ in sources), processes=processes),
        Tokeniser(options.target_language).tokenise_all((target for _, target in targets), processes=processes),
        strict=True,
    )


def stored_pairs(
    pairs: Iterable[Any],
    options: RerankOptions | Mapping[str, Any] | None = None,
    *,
    processes: int = 1,
    name: str | None = None,
) -> MemoryPairs:
    """Pairs in temporary files, prepared for comparison, for features that read them several times."""
    return MemoryPairs(_split(text_pairs(pairs), RerankOptions.of(options), processes), name=name)


def read_memory_pairs(
    sources: Sequence[AnyPath],
    targets: Sequence[AnyPath] = (),
    *,
    languages: tuple[str, str] | None = None,
    columns: Columns | None = None,
    header: bool | None = None,
) -> Iterator[tuple[str, str]]:
    """The pairs of files: pairs of text or CoNLL-U, or single files of pairs (TSV, TMX, gettext catalogues)."""
    if targets and len(targets) != len(sources):
        raise InputError(
            f"{len(sources)} source sides and {len(targets)} target sides of memories.",
            hint="Give a target side for each source side, or files of pairs.",
        )
    if not targets:
        require_tables(sources, columns, header)
    if not targets and len(sources) > 1:
        # All files are read in one direction.
        languages = languages or corpus_languages(sources)
    reading = PairReading(languages, columns, header)
    for number, source in enumerate(sources):
        if targets:
            yield from read_pairs(source, targets[number], columns=columns)
        else:
            yield from read_pairs(source, **dataclasses.asdict(reading.of(source)))


def read_memory(
    sources: Sequence[AnyPath],
    targets: Sequence[AnyPath] = (),
    options: RerankOptions | Mapping[str, Any] | None = None,
    *,
    languages: tuple[str, str] | None = None,
    columns: Columns | None = None,
    header: bool | None = None,
    processes: int = 1,
) -> _core.TranslationMemory:
    """Index files as a translation memory: pairs of text or CoNLL-U files, or single files of pairs.

    Parameters
    ----------
    sources
        Source sides, or files of pairs (TSV, TMX, XLIFF, gettext catalogues, Parquet).
    targets
        The target side of each source side.
    options
        How text is prepared.
    languages
        Languages of source and target; by default those of the first file of pairs that names both.
    columns
        Columns of source and target in tab-separated files, from 1.
    header
        Whether tab-separated files start with a header; None: detected.
    processes
        Processes that share the tokenisation, if the options ask for it.

    Returns
    -------
    TranslationMemory
        The memory.

    Examples
    --------
    >>> from graphmt.consensus import read_memory
    >>> len(read_memory(["corpus/train.de.conllu"], ["corpus/train.en"])) > 100
    True
    """
    pairs = read_memory_pairs(sources, targets, languages=languages, columns=columns, header=header)
    return make_memory(pairs, options, processes=processes, name=memory_name(sources))


def memory_name(sources: Sequence[AnyPath]) -> str:
    """The files of a memory, for messages."""
    return ", ".join(os.fspath(path) for path in sources)
