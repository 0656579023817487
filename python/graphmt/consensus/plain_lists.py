"""Re-ranking lists that Python code has at hand."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphmt import _core
from graphmt.bars import shown
from graphmt.consensus.candidates import Candidates, prepared
from graphmt.consensus.detection import Sample, detected
from graphmt.consensus.direction import warn_if_foreign
from graphmt.consensus.explanation import Explanation, explain
from graphmt.consensus.learning import learn
from graphmt.consensus.lengths import check_widths, require_length
from graphmt.consensus.memory import read_memory_pairs, stated_options
from graphmt.consensus.options import RerankOptions
from graphmt.consensus.preparation import PreparedMemory, VectorSource, prepare_memory, require_tuned_memory
from graphmt.consensus.reranker import Ranked, Reranker, uses_neighbours
from graphmt.consensus.scores import has_scores, require_column, require_same_scores, settled_score
from graphmt.corpus.given import GivenPairs, given_texts, reference_streams
from graphmt.corpus.given.kinds import described, is_frame
from graphmt.corpus.given.pairs import as_texts
from graphmt.errors import InputError
from graphmt.evidence.vectors import Encoder, Vectors, as_matrix
from graphmt.memory_features.pairs import SAMPLE
from graphmt.nbest import NBestList, lists_of
from graphmt.reprs import ShownList, counted, shortened
from graphmt.storage.files import AnyPath

#: The name of a development set in messages.
DEV = "the development set"

#: The options that name the languages.
_LANGUAGES = ("source_language", "target_language")


@dataclasses.dataclass(frozen=True)
class Choice:
    """The candidates of a sentence in their new order.

    Examples
    --------
    >>> import graphmt
    >>> [choice] = graphmt.rerank(["das Haus"], [[("a house", -1.0), ("the house", -2.0)]])
    >>> choice.best, choice.places
    ('a house', (0, 1))
    """

    texts: tuple[str, ...]
    scores: tuple[float, ...]
    #: Their positions in the input list, from 0.
    places: tuple[int, ...]

    def __repr__(self) -> str:
        return f"Choice({shortened(self.best)!r}, {counted(len(self.texts), 'candidate')})"

    def _repr_html_(self) -> str:
        """A row for each candidate in the new order."""
        from graphmt.draw.notebook import long_table

        rows = [
            (place, before + 1, f"{score:.4g}", text)
            for place, (before, score, text) in enumerate(zip(self.places, self.scores, self.texts, strict=True), 1)
        ]
        return long_table(("", "before", "score", "candidate"), rows, texts=(3,))

    @property
    def best(self) -> str:
        """The translation that was chosen."""
        return self.texts[0]


class Choices(ShownList[Choice]):
    """A list that a notebook shows as a table with a row for each sentence."""

    def _repr_html_(self) -> str:
        from graphmt.draw.notebook import long_table

        rows = [
            (number, one.best, one.places[0] + 1, len(one.texts), f"{one.scores[0]:.4g}")
            for number, one in enumerate(self, 1)
        ]
        return long_table(("", "best", "place before", "candidates", "score"), rows, texts=(1,))


@dataclasses.dataclass(frozen=True)
class DevSet:
    """Sentences with known translations, to tune on; the fields are as for :func:`rerank`.

    Examples
    --------
    >>> from graphmt.consensus import DevSet
    >>> DevSet(["das Haus"], [["a house", "the house"]], ["the house"]).sources
    ['das Haus']
    """

    sources: Iterable[Any]
    candidates: Sequence[Any]
    #: A text for each source, or lists of texts, one for each of several references.
    references: Iterable[Any]
    scores: Any = None
    #: The vectors of its sources, if those of the others are given as an array.
    vectors: Any = None


def rerank(
    sources: Iterable[Any],
    candidates: Sequence[Any],
    scores: Any = None,
    memory: Iterable[Any] | AnyPath | _core.TranslationMemory | None = None,
    options: RerankOptions | Reranker | Mapping[str, Any] | None = None,
    *,
    dev: DevSet | None = None,
    vectors: Encoder | tuple[ArrayLike, ArrayLike] | None = None,
    progress: bool = False,
) -> list[Choice]:
    """Re-rank the n-best lists of some source sentences with a translation memory.

    Parameters
    ----------
    sources
        The source sentences; also a column of a DataFrame, trees, or parsed sentences of spaCy or conllu.
    candidates
        The translations of each source, best first, in any shape that :func:`graphmt.nbest.lists_of` takes: texts,
        pairs (text, score), results of CTranslate2 or of a Hugging Face pipeline, or :class:`NBestList`. Also one flat
        list of texts with the same number for each source, as ``batch_decode`` returns them.
    scores
        Scores of the texts, nested or flat, also as a tensor such as ``sequences_scores``; None: all candidates of a
        sentence without a score of their own count the same.
    memory
        Pairs (source, target), also as a DataFrame with two columns of text or a data set of Hugging Face; or a file of
        pairs, or the result of :func:`make_memory` for consensus features alone.
    options
        The method and its settings, or a tuned :class:`Reranker`.
    dev
        A development set to tune on first. Without one, fixed weights are used, and sentences that the memory does not
        cover keep their order.
    vectors
        For neighbours by meaning: a function that gives a vector for each of some texts, such as ``model.encode`` of
        sentence-transformers, or the vectors of the sources and those of the memory's sources, a row for each. They
        need a development set, with its ``vectors`` in the latter case, or a re-ranker tuned with such vectors.
    progress
        Show bars, in a notebook or on a terminal.

    Returns
    -------
    list[Choice]
        The candidates of each sentence in their new order.

    Raises
    ------
    InputError
        If there are more or fewer lists than sentences, or the candidates were not understood.

    Examples
    --------
    >>> import graphmt
    >>> lists = [[("how 's it going to stand ?", -4.2), ("how 's it going ?", -4.6)]]
    >>> memory = [("hallo , wie geht ' s ?", "hi , how 's it going ?")]
    >>> options = graphmt.consensus.RerankOptions(features="gc")
    >>> [choice] = graphmt.rerank(["wie geht ' s , wie steht ' s ?"], lists, memory=memory, options=options)
    >>> choice.best
    "how 's it going ?"
    """
    with shown(progress):
        return _choices(*_reranker(sources, candidates, scores, memory, options, dev, vectors))


def rerank_explained(
    sources: Iterable[Any],
    candidates: Sequence[Any],
    scores: Any = None,
    memory: Iterable[Any] | AnyPath | _core.TranslationMemory | None = None,
    options: RerankOptions | Reranker | Mapping[str, Any] | None = None,
) -> list[tuple[Choice, Explanation | None]]:
    """Re-rank as :func:`rerank` does, and explain each choice; None for methods that use neither memory nor neighbours.

    Parameters
    ----------
    sources
        As for :func:`rerank`, like the other parameters.
    candidates
        The translations of each source.
    scores
        Their scores.
    memory
        The translation memory.
    options
        The method and its settings.

    Returns
    -------
    list[tuple[Choice, Explanation | None]]
        The candidates of each sentence in their new order, and the n-grams or neighbours that supported the choice.

    Examples
    --------
    >>> from graphmt.consensus import RerankOptions
    >>> from graphmt.consensus.plain_lists import rerank_explained
    >>> memory = [("hallo , wie geht ' s ?", "hi , how 's it going ?")]
    >>> lists = [[("how 's it going to stand ?", -4.2), ("how 's it going ?", -4.6)]]
    >>> [(choice, why)] = rerank_explained(["wie geht ' s ?"], lists, None, memory, RerankOptions(features="gc"))
    >>> why.support[0].target
    "hi , how 's it going ?"
    """
    known, given = _reranker(sources, candidates, scores, memory, options)
    ranked = known.rank(given)
    choices = _ordered(given, ranked)
    if not (uses_neighbours(known.options) or known.options.memory_groups):
        return [(choice, None) for choice in choices]
    return list(zip(choices, explain(given, known, ranked), strict=True))


def _reranker(
    given_sources: Iterable[Any],
    candidates: Sequence[Any],
    scores: Any,
    memory: Iterable[Any] | AnyPath | _core.TranslationMemory | None,
    options: RerankOptions | Reranker | Mapping[str, Any] | None,
    dev: DevSet | None = None,
    vectors: Encoder | tuple[ArrayLike, ArrayLike] | None = None,
) -> tuple[Reranker, Candidates]:
    """A re-ranker, tuned if there is a development set, and the candidates as it takes them."""
    if dev is not None and not isinstance(dev, DevSet):
        raise InputError(
            f"the development set is a {type(dev).__name__}; a DevSet was expected.",
            hint="For example dev=graphmt.consensus.DevSet(sources, candidates, references).",
        )
    made: VectorSource | None = None
    own, known_own = None, None
    if callable(vectors):
        made = vectors
    elif vectors is not None:
        own, made = (as_matrix(one, "the vectors") for one in vectors)
        known_own = None if dev is None or dev.vectors is None else as_matrix(dev.vectors, "the vectors")
    sources = list(given_texts(given_sources, "the sources"))
    asked = _lists(sources, candidates, scores)
    require_length(len(sources), "source sentence", len(asked))
    if own is not None:
        require_length(len(own), "vector", len(asked))
    held_out = None if dev is None else _HeldOut.of(dev, known_own)
    check_widths(own, known_own, *([made] if isinstance(made, np.ndarray) else []))
    opened = _OpenedMemory.of(memory, options)
    if not isinstance(options, Reranker | RerankOptions):
        options = RerankOptions.of({**opened.stated, **({} if options is None else options)})
    warn_if_foreign(sources[:SAMPLE], opened.first)
    if isinstance(options, Reranker):
        known, ready = options, opened.prepared(options.options, train=False)
    else:
        sample = Sample(asked, sources) if held_out is None else Sample(held_out.lists, held_out.sources)
        settings = options.settled(tuned=dev is not None, memory=opened.size)
        settings = detected(settings, dataclasses.replace(sample.first(SAMPLE), pairs=opened.first))
        if made is not None:
            require_tuned_memory(settings, tuned=dev is not None)
        if held_out is not None and held_out.lists:
            _require_same(asked, held_out.lists, settings)
        ready = opened.prepared(settings, vectors=made)
        if held_out is None:
            columns = Candidates(sources[:1], asked[:1], None, settings).features
            known = Reranker.untuned(columns, settings, ready.resources)
        else:
            given = Candidates(held_out.sources, held_out.lists, ready.memory, settings, known_own)
            streams = [prepared(lines, settings, settings.target_language) for lines in held_out.references]
            known = learn(given, [list(own) for own in zip(*streams, strict=True)], settings, ready.resources)
    return known, Candidates(sources, asked, ready.memory, known.options, own)


@dataclasses.dataclass(frozen=True)
class _HeldOut:
    """A development set with as many lists and references as sentences."""

    sources: list[str]
    lists: list[NBestList]
    references: list[list[str]]

    @classmethod
    def of(cls, dev: DevSet, vectors: Vectors | None) -> _HeldOut:
        sources = list(given_texts(dev.sources, f"the sources of {DEV}"))
        lists = _lists(sources, dev.candidates, dev.scores)
        require_length(len(sources), "source sentence", len(lists), DEV)
        references = reference_streams(dev.references, len(sources), f"the references of {DEV}")
        for stream in references:
            require_length(len(stream), "reference", len(lists), DEV)
        if vectors is not None:
            require_length(len(vectors), "vector", len(lists), DEV)
        return cls(sources, lists, references)


def _require_same(asked: Sequence[NBestList], tuned_on: Sequence[NBestList], options: RerankOptions) -> None:
    """Reject lists with other columns than those of the development set, before any work on the memory."""
    if not asked:
        return
    options = settled_score(tuned_on[0], options)
    if asked[0].features != tuned_on[0].features:
        raise InputError(
            f"lists with the columns {', '.join(tuned_on[0].features)}; those to be re-ranked have "
            f"{', '.join(asked[0].features)}.",
            file=DEV,
            hint="Tune on lists of the same system.",
        )
    require_column(asked[0].features, options)
    require_same_scores(has_scores(asked, options.score), has_scores(tuned_on, options.score))


def _lists(sources: Sequence[str], candidates: Sequence[Any], scores: Any) -> list[NBestList]:
    """The n-best lists of some sources."""
    if is_frame(candidates) or isinstance(candidates, str):
        raise InputError(
            f"{described(candidates)}; a list of candidates for each source was expected.", file="the candidates"
        )
    candidates = candidates if isinstance(candidates, Sequence) else list(candidates)
    flat = len(candidates) > 0 and all(isinstance(one, str) for one in candidates)
    if not flat:
        return lists_of(candidates, scores)
    if not sources or len(candidates) % len(sources):
        raise InputError(
            f"{len(candidates)} candidates in one list for {len(sources)} sentences.",
            hint="Give a list for each sentence, or the same number of candidates for each.",
        )
    return lists_of(candidates, scores, list_size=len(candidates) // len(sources))


@dataclasses.dataclass(frozen=True)
class _OpenedMemory:
    """A memory of which only the first pairs were read."""

    first: list[tuple[str, str]]
    #: All pairs; None: there are none, or they are indexed already.
    pairs: Iterator[tuple[str, str]] | None = None
    indexed: _core.TranslationMemory | None = None
    name: str | None = None

    #: The languages that a file or the columns of a table state, as options.
    stated: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(
        cls,
        memory: Iterable[Any] | AnyPath | _core.TranslationMemory | None,
        options: RerankOptions | Reranker | Mapping[str, Any] | None,
    ) -> _OpenedMemory:
        if memory is None or isinstance(memory, _core.TranslationMemory):
            return cls([], indexed=memory)
        name: str | None = None
        if isinstance(memory, str | os.PathLike):
            name = os.fspath(memory)
            pairs = read_memory_pairs([name])
            stated = stated_options([name])
        else:
            given = GivenPairs(memory, "the memory")
            languages = given.stated()
            stated = {} if languages is None else dict(zip(_LANGUAGES, languages, strict=True))
            pairs = as_texts(given.read(_asked_languages(options) or languages))
        first = list(islice(pairs, SAMPLE))
        return cls(first, chain(first, pairs), name=name, stated=stated)

    @property
    def size(self) -> int | None:
        """The number of the first pairs; None without pairs."""
        return None if self.pairs is None else len(self.first)

    def prepared(
        self, options: RerankOptions, *, train: bool = True, vectors: VectorSource | None = None
    ) -> PreparedMemory:
        """The memory as settled options need it."""
        if self.pairs is None:
            return PreparedMemory(self.indexed)
        return prepare_memory(self.pairs, options, name=self.name, train=train, vectors=vectors)


def _asked_languages(options: RerankOptions | Reranker | Mapping[str, Any] | None) -> tuple[str, str] | None:
    """The languages that a caller named; the defaults of an object say nothing."""
    if not isinstance(options, Mapping):
        return None
    source, target = (options.get(name) for name in _LANGUAGES)
    return (source, target) if isinstance(source, str) and isinstance(target, str) else None


def _choices(known: Reranker, given: Candidates) -> list[Choice]:
    return _ordered(given, known.rank(given))


def _ordered(given: Candidates, ranked: Ranked) -> Choices:
    found = Choices()
    for start, one, order in zip(given.starts, given.lists, ranked.orders(given), strict=False):
        own = [float(ranked.scores[start + place]) for place in order]
        found.append(Choice(tuple(one.texts[place] for place in order), tuple(own), tuple(order)))
    return found
