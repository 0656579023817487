"""Re-ranking files of n-best lists as a stream, and tuning on them."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

from graphmt import _core
from graphmt.consensus.candidates import Candidates, prepared
from graphmt.consensus.combination import ListStream
from graphmt.consensus.explanation import Explanation, explain, require_neighbours
from graphmt.consensus.learning import learn
from graphmt.consensus.lengths import require_length
from graphmt.consensus.options import RerankOptions
from graphmt.consensus.preparation import known_references
from graphmt.consensus.reranker import Ranked, Reranker, added_names
from graphmt.corpus import tokenised
from graphmt.errors import InputError
from graphmt.evidence.vectors import Vectors
from graphmt.memory_features import MemoryPairs, MemoryResources
from graphmt.nbest import NBestList, read_lists, written
from graphmt.progress import bar
from graphmt.storage.compression import plain_name
from graphmt.storage.files import AnyPath, writing


@dataclasses.dataclass(frozen=True)
class Outputs:
    """The output files.

    Examples
    --------
    >>> from graphmt.consensus import Outputs
    >>> Outputs("best.txt", explain="neighbours.jsonl")
    Outputs(out='best.txt', lists=False, explain='neighbours.jsonl', format=None)
    """

    #: The best translations, or the lists.
    out: AnyPath = "-"
    #: Whether ``out`` gets the lists in their new order instead of the best translations.
    lists: bool = False
    #: The supporting neighbours of each choice: JSON lines if the name ends in .jsonl (also .gz), else text.
    explain: AnyPath | None = None
    #: The format of the lists, one of :data:`graphmt.nbest.FORMATS`; None: the one they came in.
    format: str | None = None


@dataclasses.dataclass(frozen=True)
class Summary:
    r"""Counts of a run.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.consensus import Outputs, RerankOptions, rerank_files
    >>> n = Path("lists.txt").write_text("0 ||| a house ||| lm= -1 ||| -1.0\n0 ||| the house ||| lm= -2 ||| -1.5\n")
    >>> rerank_files("lists.txt", None, None, RerankOptions(method="mbr-bleu"), Outputs("best.txt"))
    Summary(sentences=1, candidates=2, changed=0, with_neighbours=None, covered=None)
    """

    sentences: int
    candidates: int
    #: Sentences whose translation changed.
    changed: int
    #: Sentences with a neighbour, if the method uses neighbours.
    with_neighbours: int | None
    #: The share of the sources' trigrams that the memory has, if the method looks for them.
    covered: float | None = None


class ListChunk(NamedTuple):
    """Lists that are re-ranked together: consensus connects only the sentences of a chunk."""

    sources: list[str]
    lists: list[NBestList]
    vectors: Vectors | None = None

    def candidates(self, memory: _core.TranslationMemory | None, options: RerankOptions) -> Candidates:
        """As a re-ranker takes them."""
        return Candidates(self.sources, self.lists, memory, options, self.vectors)


class RankedChunk(NamedTuple):
    """The output of a chunk, with counts."""

    lines: list[str]
    sentences: int
    candidates: int
    changed: int
    with_neighbours: int
    #: Trigrams of the sources that the memory has, and all of them.
    covered: int
    trigrams: int

    @classmethod
    def of(cls, candidates: Candidates, ranked: Ranked, outputs: Outputs) -> RankedChunk:
        """The lines to write for ranked candidates."""
        orders = ranked.orders(candidates)
        lines = list(_lines(candidates, ranked, orders, outputs))
        changed = sum(order[0] != 0 for order in orders)
        joined = 0
        if "gc" in candidates.options.groups:
            joined = int(candidates.has_neighbours[candidates.starts[:-1]].sum())
        found, trigrams = (0, 0) if ranked.covered is None else map(int, ranked.covered.sum(axis=0))
        return cls(lines, len(candidates), len(ranked.scores), changed, joined, found, trigrams)


def summary(chunks: Iterable[RankedChunk], options: RerankOptions, out: IO[str]) -> Summary:
    """Write the lines of all chunks and add up their counts."""
    sentences = size = changed = joined = covered = trigrams = 0
    with bar("sentences") as advance:
        for chunk in chunks:
            out.writelines(chunk.lines)
            out.flush()
            sentences += chunk.sentences
            size += chunk.candidates
            changed += chunk.changed
            joined += chunk.with_neighbours
            covered += chunk.covered
            trigrams += chunk.trigrams
            advance(sentences)
    share = covered / trigrams if trigrams else None
    return Summary(sentences, size, changed, joined if "gc" in options.groups else None, share)


def rerank_files(
    lists: AnyPath | ListStream,
    source: AnyPath | None,
    memory: _core.TranslationMemory | None,
    reranker: RerankOptions | Reranker,
    outputs: Outputs | None = None,
    *,
    seen: Callable[[Explanation], None] | None = None,
    vectors: Vectors | None = None,
) -> Summary:
    r"""Re-rank a file of n-best lists, ``options.chunk`` sentences at a time.

    Every output is written whole or not at all.

    Parameters
    ----------
    lists
        The lists, in any format of :data:`graphmt.nbest.FORMATS`.
    source
        The source sentences; None for methods that do not need them.
    memory
        The translation memory, if any.
    reranker
        The method and its settings, or a tuned re-ranker.
    outputs
        The files to write; by default the best translations go to standard output.
    seen
        Called with the explanation of each choice.
    vectors
        The vectors of the source sentences, if the re-ranker uses those of a memory.

    Returns
    -------
    Summary
        Counts of sentences, candidates and changes.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.consensus import Outputs, RerankOptions, rerank_files
    >>> n = Path("lists.txt").write_text("0 ||| a house ||| lm= -1 ||| -1.0\n0 ||| the house ||| lm= -2 ||| -1.5\n")
    >>> done = rerank_files("lists.txt", None, None, RerankOptions(method="none"), Outputs("best.txt"))
    >>> Path("best.txt").read_text()
    'a house\n'
    """
    outputs = outputs or Outputs()
    options = reranker.options if isinstance(reranker, Reranker) else reranker
    if outputs.explain is not None or seen is not None:
        require_neighbours(options)
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(writing(outputs.out))
        explanations = stack.enter_context(writing(outputs.explain)) if outputs.explain is not None else None

        def ranked_chunks() -> Iterator[RankedChunk]:
            known, done = reranker, 0
            for chunk in list_chunks(lists, source, options, vectors):
                candidates = chunk.candidates(memory, options)
                if isinstance(known, RerankOptions):
                    known = Reranker.untuned(candidates.features, known)
                ranked = known.rank(candidates)
                yield RankedChunk.of(candidates, ranked, outputs)
                if explanations is not None or seen is not None:
                    for one in explain(candidates, known, ranked, done):
                        if explanations is not None:
                            explanations.write(_explained(one, outputs.explain))
                        if seen is not None:
                            seen(one)
                done += len(candidates)

        return summary(ranked_chunks(), options, stream)


def learn_files(
    lists: AnyPath | ListStream,
    source: AnyPath | None,
    references: Sequence[AnyPath],
    memory: _core.TranslationMemory | None,
    options: RerankOptions,
    *,
    columns: tuple[str, ...] | None = None,
    without: Sequence[str] = (),
    resources: MemoryResources | None = None,
    known: MemoryPairs | None = None,
    vectors: Vectors | None = None,
) -> Reranker:
    r"""Tune a re-ranker on the files of a development set.

    ``columns`` are those of the lists to be re-ranked; other lists are rejected before any work is done.

    Parameters
    ----------
    lists
        N-best lists.
    source
        The source sentences; None for methods that do not need them.
    references
        One file per reference.
    memory
        The translation memory, if any.
    options
        The method and its settings.
    columns
        Features of the lists to be re-ranked later; lists with others are rejected before any work is done.
    without
        Columns to drop; none: those with the names of added ones.
    resources
        The index, language model and lexicon of a memory, for the features memory, lm and lexicon.
    known
        Pairs whose targets are the references of their sources, instead of ``references``.
    vectors
        The vectors of the source sentences, if the resources have those of the memory.

    Returns
    -------
    Reranker
        The tuned re-ranker.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.consensus import RerankOptions, learn_files
    >>> n = Path("lists.txt").write_text("0 ||| a house ||| lm= -1 ||| -1.0\n0 ||| the house ||| lm= -2 ||| -1.5\n")
    >>> n = Path("source.txt").write_text("das Haus\n")
    >>> n = Path("reference.txt").write_text("the house\n")
    >>> learn_files("lists.txt", "source.txt", ["reference.txt"], None, RerankOptions(method="none")).features
    ('score', 'lm')
    """
    stream = _opened(lists, without or added_names(options))
    if columns is not None:
        require_same_columns(stream, columns)
    given = list(stream)
    sources = [""] * len(given) if source is None else list(tokenised(source))
    require_length(len(sources), "sentence", len(given), source)
    candidates = Candidates(sources, given, memory, options, vectors)
    if known is not None:
        return learn(candidates, known_references(candidates.sources, known, source), options, resources)
    texts = [prepared(list(tokenised(path)), options, options.target_language) for path in references]
    for path, found in zip(references, texts, strict=True):
        require_length(len(found), "reference", len(given), path)
    return learn(candidates, [list(own) for own in zip(*texts, strict=True)], options, resources)


def require_same_columns(dev: ListStream, columns: tuple[str, ...]) -> None:
    """Reject lists of a development set with other columns than those to be re-ranked."""
    if dev.features != columns:
        raise InputError(
            f"lists with the columns {', '.join(dev.features)}; those to be re-ranked have {', '.join(columns)}.",
            file=dev.path,
            hint="Tune on lists of the same system.",
        )


def _opened(lists: AnyPath | ListStream, without: Sequence[str]) -> ListStream:
    return lists if isinstance(lists, ListStream) else read_lists(lists, without=without)


def list_chunks(
    lists: AnyPath | ListStream, source: AnyPath | None, options: RerankOptions, vectors: Vectors | None = None
) -> Iterator[ListChunk]:
    """The lists of a file with their sources, ``options.chunk`` sentences at a time."""
    given = _opened(lists, added_names(options))
    sources = None if source is None else tokenised(source)
    done = 0
    while chunk := list(islice(given, options.chunk)):
        own = [""] * len(chunk) if sources is None else list(islice(sources, len(chunk)))
        if len(own) != len(chunk):
            raise InputError(f"{done + len(own)} sentences, but more n-best lists.", file=source)
        rows = None if vectors is None else vectors[done : done + len(chunk)]
        done += len(chunk)
        yield ListChunk(own, chunk, rows)
    if sources is not None and next(sources, None) is not None:
        raise InputError(f"more sentences than the {done} n-best lists.", file=source)
    if vectors is not None and len(vectors) != done:
        raise InputError(f"{len(vectors)} vectors for {done} sentences.", file=source)


def _lines(candidates: Candidates, ranked: Ranked, orders: list[list[int]], outputs: Outputs) -> Iterator[str]:
    for start, given, order in zip(candidates.starts.tolist(), candidates.lists, orders, strict=False):
        if not outputs.lists:
            yield f"{given.texts[order[0]]}\n"
            continue
        end = start + len(given)
        added = {name: values[start:end].tolist() for name, values in ranked.added.items()}
        yield written(given, order, ranked.scores[start:end].tolist(), added, outputs.format)


def _explained(one: Explanation, path: AnyPath | None) -> str:
    if path is not None and Path(plain_name(path)).suffix == ".jsonl":
        return json.dumps(one.as_dict(), ensure_ascii=False) + "\n"
    return f"{one}\n"
