"""Sentences with their candidates, and their consensus features."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from graphmt import _core
from graphmt.consensus.options import RerankOptions
from graphmt.consensus.scores import has_scores, log_probability_column, posterior_column, require_column, settled_score
from graphmt.corpus import Tokeniser
from graphmt.corpus.normal_form import normal_form
from graphmt.errors import InputError
from graphmt.evidence import SentenceLists
from graphmt.nbest import NBest, NBestList
from graphmt.nbest.pieces import join_pieces
from graphmt.nbest.scores import LOG_PROBABILITY
from graphmt.reprs import counted

Values = npt.NDArray[np.float64]

#: The largest float.
_MOST = np.finfo(np.float64).max

#: Relative difference up to which two scores count as equal, because they may be sums in another order: far above the
#: rounding error of a thousand 64-bit terms, far below the tolerance of propagation (1e-6 and more).
_ROUNDING = 1e-12

#: Columns that vary less within lists count as constant.
_CONSTANT = 1e-9

#: The n-gram similarities of formulas (9) and (11).
DICE = ("dice1", "dice2", "dice3", "dice4")
#: Features by the name of the option: GC and LC for n = 1..4, and for GC an indicator of values below the floor.
NAMES = {
    "gc": ("gc1", "gc2", "gc3", "gc4", "gc-none"),
    "lc": ("lc1", "lc2", "lc3", "lc4"),
}


def feature_names(features: str) -> tuple[str, ...]:
    """The consensus features that an option such as ``gc+lc`` stands for."""
    return names_of(features.split("+"))


def names_of(groups: Sequence[str]) -> tuple[str, ...]:
    """The consensus features of some groups."""
    return tuple(name for group in groups if group in NAMES for name in NAMES[group])


def comparable(text: str) -> str:
    """A text before it is tokenised for comparison: in one normal form, with its subword pieces joined."""
    return join_pieces(normal_form(text))[0]


def prepared(texts: Sequence[str], options: RerankOptions, language: str) -> list[str]:
    """Texts for comparison: in one normal form, subword pieces joined, tokenised if the options say so."""
    joined = list(map(comparable, texts))
    return list(_tokeniser(language).tokenise_all(joined)) if options.tokenise else joined


@lru_cache
def _tokeniser(language: str) -> Tokeniser:
    return Tokeniser(language)


class Candidates:
    """The lists of some sentences with a translation memory: scores, posteriors, consensus.

    Parameters
    ----------
    sources
        Source sentences.
    lists
        The n-best list of each.
    memory
        The translation memory; None: only the sentences themselves are compared.
    options
        How lists are prepared and compared.
    vectors
        The vectors of the sources, a row for each, for neighbours by meaning.

    Examples
    --------
    >>> from graphmt.consensus import Candidates, NBestList, RerankOptions
    >>> lists = [NBestList.of(0, [("a house", -1.0), ("the house", -2.0)])]
    >>> Candidates(["das Haus"], lists, None, RerankOptions())
    Candidates(1 sentence, 2 candidates)
    """

    def __init__(
        self,
        sources: Sequence[str],
        lists: Sequence[NBestList],
        memory: _core.TranslationMemory | None,
        options: RerankOptions,
        vectors: npt.NDArray[np.float32] | None = None,
    ) -> None:
        if len(sources) != len(lists):
            raise InputError(
                f"{len(sources)} source sentences for {len(lists)} n-best lists.",
                hint="There must be a list for each sentence, in the same order.",
            )
        #: The columns of ``values``, as the lists have them.
        self.features = lists[0].features if lists else ("score",)
        if different := next((one for one in lists if one.features != self.features), None):
            raise InputError(
                f"sentence {different.number} has the columns {', '.join(different.features)}, the others have "
                f"{', '.join(self.features)}."
            )
        options = settled_score(lists[0], options) if lists else options.replace(score="score", normalised="no")
        require_column(self.features, options)
        options = options.replace(lowercase=bool(options.lowercase), tokenise=bool(options.tokenise))
        #: The options, with everything that was open settled.
        self.options = options
        self.memory, self.lists, self.vectors = memory, lists, vectors
        self.sources = prepared(sources, options, options.source_language)
        texts = prepared([text for one in lists for text in one.texts], options, options.target_language)
        ends = np.cumsum([len(one) for one in lists]).tolist()
        each = [texts[end - len(one) : end] for one, end in zip(lists, ends, strict=True)]
        #: The candidates of each sentence, tokenised if the options say so.
        self.texts = each
        self.core = _core.CandidateLists(each, lowercase=bool(options.lowercase))
        self.starts = self.core.starts.astype(np.int64)
        self.values = np.concatenate([one.values for one in lists]) if lists else np.zeros((0, 1))
        if options.normalised == "yes":
            made = log_probability_column(lists, each, options.score)
            self.features, self.values = (*self.features, LOG_PROBABILITY), np.hstack([self.values, made[:, None]])
        self._graphs: dict[tuple[str, ...], _core.ConsensusGraph] = {}

    def __repr__(self) -> str:
        return f"Candidates({counted(len(self), 'sentence')}, {counted(len(self.values), 'candidate')})"

    def __len__(self) -> int:
        return len(self.lists)

    def with_columns(self, names: Sequence[str], values: Values) -> Candidates:
        """The same candidates with more columns."""
        made = copy.copy(self)
        made.features, made.values = (*self.features, *names), np.hstack([self.values, values])
        return made

    def sentence_lists(self, references: Sequence[Sequence[str]] | None = None) -> SentenceLists:
        """The candidates with their log-probabilities, as :mod:`graphmt.evidence` takes them."""
        scores = (self.options.scale if self.options.scale is not None else 1.0) * self.scores
        each = [own.tolist() for own in np.split(scores, self.starts[1:-1])] if len(self) else []
        return SentenceLists(self.sources, self.texts, each, references, vectors=self.vectors)

    def spreads(self, values: Values) -> Values:
        """The standard deviation of each column within lists; 1 for constant columns."""
        if not len(values):
            return np.ones(values.shape[1])
        sizes = np.diff(self.starts)
        means = np.add.reduceat(values, self.starts[:-1], axis=0) / sizes[:, None]
        found: Values = (values - np.repeat(means, sizes, axis=0)).std(axis=0)
        found[found < _CONSTANT] = 1.0
        return found

    @property
    def is_scored(self) -> bool:
        """Whether the model's scores say anything about the candidates."""
        return has_scores(self.lists, self.options.score)

    @property
    def scores(self) -> Values:
        """The column that the options select as the model's score, as a log-probability."""
        column: Values = self.values[:, self.features.index(posterior_column(self.options))]
        return column

    @cached_property
    def is_empty(self) -> npt.NDArray[np.bool_]:
        """Whether each candidate has no words although its list has one with words, and its source is not blank."""
        worded = np.array([bool(text.split()) for own in self.texts for text in own], dtype=np.bool_)
        if worded.all():
            return ~worded
        sizes = np.diff(self.starts)
        expected = np.maximum.reduceat(worded, self.starts[:-1]) & np.array([bool(one.strip()) for one in self.sources])
        found: npt.NDArray[np.bool_] = ~worded & np.repeat(expected, sizes)
        return found

    def posterior(self, scores: Values, scale: float) -> Values:
        """The softmax of scaled scores within each list."""
        if not len(scores):
            return scores
        starts, sizes = self.starts[:-1], np.diff(self.starts)
        # Scores too far below the best have a posterior of 0.
        with np.errstate(over="ignore"):
            below = scores - np.repeat(np.maximum.reduceat(scores, starts), sizes)
            raised = np.exp(scale * np.maximum(below, -_MOST))
        made: Values = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        return made

    @property
    def graph(self) -> _core.ConsensusGraph:
        """The graph of similar sentences, with labels compared by n-grams (formulas 8 and 9)."""
        return self.made_graph(DICE)

    def made_graph(self, similarities: tuple[str, ...]) -> _core.ConsensusGraph:
        """The graph with other label similarities, built once."""
        if similarities in self._graphs:
            return self._graphs[similarities]
        made = _core.ConsensusGraph(self.sources, self.core, self.memory, similarities, self.options)
        self._graphs[similarities] = made
        return made

    def propagated(self, graph: _core.ConsensusGraph, posterior: Values) -> Values:
        """p of every candidate (rows) by similarity (columns) when propagation has converged."""
        return graph.propagate(posterior, self.options).values

    def consensus(self, posterior: Values) -> Values:
        """The features selected by the options, a column for each of :func:`feature_names`."""
        options, columns = self.options, []
        for part in options.groups:
            if part == "gc":
                found = self.propagated(self.graph, posterior)
                # A sentence without neighbours keeps its posterior in the graph, but has no support.
                found = np.where(self.has_neighbours[:, None], found, 0.0)
                columns += [self._logs(found), (found < options.floor).mean(axis=1, keepdims=True)]
            elif part == "lc":
                found = self.core.local_consensus(posterior, DICE, options)
                columns.append(self._logs(found))
        return np.hstack(columns) if columns else np.zeros((len(posterior), 0))

    def _logs(self, values: Values) -> Values:
        logs: Values = np.log(np.maximum(values, self.options.floor))
        return logs

    @cached_property
    def has_neighbours(self) -> npt.NDArray[np.bool_]:
        """Whether the sentence of each candidate has neighbours."""
        links = np.diff(self.graph.links().starts.astype(np.int64)) > 0
        return np.repeat(links, np.diff(self.starts))

    @property
    def positions(self) -> npt.NDArray[np.int64]:
        """The place of each candidate in its list, from 0."""
        sizes = np.diff(self.starts)
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], sizes)

    def order(self, scores: Values) -> list[list[int]]:
        """For each sentence its candidates, best first; ties in the order of the lists."""
        pairs = zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
        return [_ranked(scores[start:end]) for start, end in pairs]

    def best(self, scores: Values) -> list[str]:
        """The best candidate of each sentence, as in its list."""
        return [one.texts[order[0]] for one, order in zip(self.lists, self.order(scores), strict=True)]

    def as_nbest(self, values: Values, scores: Values) -> NBest:
        """The lists with these values as input for the tuner, best candidate first."""
        columns = self.core.columns()
        tokens = columns.tokens
        places = np.concatenate(
            [start + np.array(order) for start, order in zip(self.starts[:-1], self.order(scores), strict=True)]
        )
        sizes = np.diff(tokens.astype(np.int64))[places]
        ends = np.cumsum(sizes)
        # Indices of the candidates' words in their new order.
        source = np.repeat(tokens[:-1][places].astype(np.int64) - (ends - sizes), sizes) + np.arange(sizes.sum())
        return NBest(
            columns.hypotheses,
            np.concatenate([[0], ends]).astype(np.uint32),
            columns.numbers[source],
            columns.words,
            values[places].astype(np.float32),
        )


def _ranked(scores: Values) -> list[int]:
    """Positions by descending score; scores that differ only by rounding keep their order."""
    order = np.argsort(-scores, kind="stable")
    best = scores[order]
    with np.errstate(over="ignore", invalid="ignore"):
        gaps, sizes = best[:-1] - best[1:], np.maximum(np.abs(best[:-1]), np.abs(best[1:]))
        near = (gaps > 0) & (gaps <= _ROUNDING * sizes)
    ranked: list[int] = order.tolist()
    if not near.any():
        return ranked
    first = 0
    for place in range(1, len(ranked) + 1):
        # A run of equal scores: all are close to its first.
        if place == len(ranked) or best[first] - best[place] > _ROUNDING * max(abs(best[first]), abs(best[place])):
            ranked[first:place] = sorted(ranked[first:place])
            first = place
    return ranked


def weighted(values: Values, names: Sequence[str], weights: Mapping[str, float]) -> Values:
    """The weighted sum of features; overflows become the largest float."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = values @ np.array([weights[name] for name in names], dtype=np.float64)
    finite: Values = np.nan_to_num(sums)
    return finite
