"""Spans of a training corpus with their translations, by forced decoding (section 5.2)."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import islice

from graphmt import _core
from graphmt.corpus import plain_lines
from graphmt.errors import InputError
from graphmt.model import Model
from graphmt.model.model import Sentence
from graphmt.progress import bar
from graphmt.storage.files import AnyPath, lines, writing
from graphmt.tune.step import read_sentences

log = logging.getLogger(__name__)

#: Pairs decoded, and entries read or written, at a time.
CHUNK = 1024

#: Maximum translations of a span, the most frequent ones: frequent words have many, and the rest are mostly noise.
MOST = 5


def make_span_memory(
    model: Model, pairs: Iterable[tuple[Sentence, str]], *, threads: int = 0
) -> tuple[_core.TranslationMemory, int]:
    """Index the pairs of a corpus and, by forced decoding with a chart model, the pairs of their spans.

    Where the rules cannot derive a target, every cell contributes its best substring.

    Parameters
    ----------
    model
        A model of a chart system.
    pairs
        Pairs (source, target); sources as the model translates them.
    threads
        Number of threads; 0: one per core.

    Returns
    -------
    tuple[TranslationMemory, int]
        The memory, and the number of targets that could be derived.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.consensus import make_span_memory
    >>> memory, reached = make_span_memory(graphmt.load("btg"), [("er schläft .", "he sleeps .")])
    >>> memory.pairs, reached
    (3, 0)
    """
    memory = _core.TranslationMemory()
    rest, reached, done, too_long = iter(pairs), 0, 0, 0
    with bar("pairs, forced") as advance:
        while chunk := list(islice(rest, CHUNK)):
            prepared = model.prepare([source for source, _ in chunk])
            too_long += sum(len(sentence) > model.longest for sentence in prepared)
            references = model.prepare_references([source for source, _ in chunk], [target for _, target in chunk])
            targets = [line.split() for line in references]
            kept = [place for place, words in enumerate(targets) if words and len(prepared[place])]
            reached += _core.add_forced(
                memory,
                model.decoder,
                [prepared[place] for place in kept],
                [targets[place] for place in kept],
                threads=threads,
            )
            done += len(chunk)
            advance(done)
    if not memory.pairs:
        raise InputError("the training corpus is empty.")
    if too_long:
        log.warning(
            f"{too_long:,} pairs of more than {model.longest} words are not decoded and count only as whole pairs."
        )
    memory.finish(MOST)
    return memory, reached


def make_span_memory_files(
    model: Model, train: tuple[AnyPath, AnyPath], *, threads: int = 0
) -> tuple[_core.TranslationMemory, int]:
    """Index the spans of a training corpus; see :func:`make_span_memory`.

    Parameters
    ----------
    model
        A model of a chart system.
    train
        Source and target side of the corpus.
    threads
        Number of threads; 0: one per core.

    Returns
    -------
    tuple[TranslationMemory, int]
        The memory, and the number of targets that could be derived.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.consensus import make_span_memory_files
    >>> model = graphmt.load("btg", pop_limit=5)
    >>> memory, reached = make_span_memory_files(model, ("corpus/dev.de.conllu", "corpus/dev.en"))
    >>> memory.pairs
    48
    """
    if not model.system.has_chart:
        raise InputError(
            f"{model.described} has no chart of spans.", file=model.folder, hint="Use hpb, btg, dgst or dep2str."
        )
    sources, targets = read_sentences(model, train[0]), list(plain_lines(train[1]))
    if len(sources) != len(targets):
        raise InputError(f"{len(targets)} lines, but {train[0]} has {len(sources)} sentences.", file=train[1])
    memory, reached = make_span_memory(model, zip(sources, targets, strict=True), threads=threads)
    log.info(f"{reached:,} of {len(sources):,} pairs can be derived; {len(memory):,} spans and sentences")
    return memory, reached


def save_span_memory(memory: _core.TranslationMemory, path: AnyPath) -> None:
    """Write a memory as text: source, target and probability, separated by tabs.

    Parameters
    ----------
    memory
        The memory.
    path
        The file to write; the end of the name compresses.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.consensus import make_span_memory, save_span_memory
    >>> memory, reached = make_span_memory(graphmt.load("btg"), [("er schläft .", "he sleeps .")])
    >>> save_span_memory(memory, "spans.tsv.gz")
    """
    with writing(path) as stream:
        for start in range(0, len(memory), CHUNK):
            for entry in memory.entries(start, start + CHUNK):
                stream.writelines(f"{entry.source}\t{one.text}\t{one.probability:.6g}\n" for one in entry.translations)


def load_span_memory(path: AnyPath) -> _core.TranslationMemory:
    """Read a file written by :func:`save_span_memory`.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    TranslationMemory
        The memory.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.consensus import load_span_memory, make_span_memory, save_span_memory
    >>> memory, reached = make_span_memory(graphmt.load("btg"), [("er schläft .", "he sleeps .")])
    >>> save_span_memory(memory, "spans.tsv.gz")
    >>> len(load_span_memory("spans.tsv.gz")) == len(memory)
    True
    """
    memory = _core.TranslationMemory()
    rest, number = iter(lines(path)), 0
    while chunk := list(islice(rest, CHUNK)):
        columns = [line.split("\t") for line in chunk]
        for place, row in enumerate(columns):
            if len(row) != 3 or not _is_weight(row[2]):
                raise InputError(
                    "expected source, target and probability, separated by tabs.",
                    file=path,
                    line=number + place + 1,
                )
        sources, targets, weights = zip(*columns, strict=True)
        memory.add(list(sources), list(targets), [float(weight) for weight in weights])
        number += len(chunk)
    if not memory.pairs:
        raise InputError("no spans.", file=path)
    memory.finish()
    return memory


def _is_weight(text: str) -> bool:
    try:
        return 0.0 < float(text) < float("inf")
    except ValueError:
        return False
