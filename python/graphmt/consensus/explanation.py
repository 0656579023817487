"""Why a candidate was chosen: the neighbours that supported it, or the n-grams and memory pairs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from graphmt import _core
from graphmt.consensus.candidates import Candidates, Values
from graphmt.consensus.ngram_explanation import NgramEvidence, NgramExplainer
from graphmt.consensus.options import RerankOptions
from graphmt.consensus.reranker import Ranked, Reranker, uses_neighbours
from graphmt.draw.neighbours import Neighbour, neighbours_svg
from graphmt.errors import OptionError
from graphmt.reprs import counted, shortened

#: Maximum number of neighbours in an explanation.
MOST = 5


@dataclasses.dataclass(frozen=True)
class NeighbourSupport:
    """A translation of a similar sentence, and how much it supports the choice.

    Examples
    --------
    >>> from graphmt.consensus import Candidates, NBestList, RerankOptions, Reranker, explain, make_memory
    >>> options = RerankOptions()
    >>> memory = make_memory([("das Haus ist klein", "the house is small")], options)
    >>> lists = [NBestList.of(0, [("a house is small", -1.0), ("the house is small", -1.1)])]
    >>> candidates = Candidates(["das Haus ist klein"], lists, memory, options)
    >>> reranker = Reranker.untuned(candidates.features, options)
    >>> [found] = explain(candidates, reranker, reranker.rank(candidates).scores)
    >>> found.support[0].source, found.support[0].in_memory
    ('das Haus ist klein', True)
    """

    source: str
    target: str
    #: Of the two source sentences, formula (10).
    similarity: float
    #: Whether it is a pair of the memory, or a candidate of another sentence of the input.
    in_memory: bool
    #: Its share of the total support of the choice.
    share: float
    #: Its support of the choice minus its support of the list's first candidate, as a share of the total.
    over_first: float
    #: The number of its sentence, from 0: in the input, or among the distinct sources of the memory.
    number: int = 0


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A choice, and the neighbours or the n-grams that supported it.

    Examples
    --------
    >>> from graphmt.consensus import Candidates, NBestList, RerankOptions, Reranker, explain, make_memory
    >>> options = RerankOptions()
    >>> memory = make_memory([("das Haus ist klein", "the house is small")], options)
    >>> lists = [NBestList.of(0, [("a house is small", -1.0), ("the house is small", -1.1)])]
    >>> candidates = Candidates(["das Haus ist klein"], lists, memory, options)
    >>> reranker = Reranker.untuned(candidates.features, options)
    >>> [found] = explain(candidates, reranker, reranker.rank(candidates).scores)
    >>> found.chosen, found.neighbours, found.support[0].target
    ('the house is small', 1, 'the house is small')
    """

    #: From 0.
    sentence: int
    source: str
    chosen: str
    #: The first candidate of the input list.
    first: str
    #: The rank of the choice there, from 1.
    place: int
    #: The number of similar sentences; ``support`` has the strongest of their translations.
    neighbours: int
    support: tuple[NeighbourSupport, ...]
    #: With features of a memory: the n-grams that decided, and the score of the choice minus that of the first
    #: candidate by groups of features.
    ngrams: tuple[NgramEvidence, ...] = ()
    groups: Mapping[str, float] = dataclasses.field(default_factory=dict)
    #: Whether neighbours were used.
    by_neighbours: bool = True

    def __repr__(self) -> str:
        return f"Explanation({self.sentence}, {shortened(self.chosen)!r}, {counted(self.neighbours, 'neighbour')})"

    @property
    def changed(self) -> bool:
        """Whether re-ranking chose another candidate."""
        return self.place > 1

    @property
    def by_group(self) -> str:
        """How much each group of features adds to the score of the choice, compared with the first candidate."""
        said = (f"{name} {value:+.2f}" for name, value in self.groups.items() if round(value, 2))
        return f"score compared with the first: {', '.join(said) or 'equal'}"

    @property
    def unnamed(self) -> int:
        """Similar sentences that are not in ``support``."""
        return self.neighbours - len({(one.in_memory, one.number) for one in self.support})

    @property
    def svg(self) -> str:
        """The choice and its supporting neighbours as a picture."""
        neighbours = [Neighbour(one.source, one.target, one.similarity, one.share) for one in self.support]
        return neighbours_svg(self.source, self.chosen, neighbours)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        found = dataclasses.asdict(self)
        del found["by_neighbours"]
        if not self.groups:
            del found["ngrams"], found["groups"]
        if not self.by_neighbours:
            del found["neighbours"], found["support"]
        # The JSON format calls this field ``voices``.
        return {"voices" if name == "support" else name: value for name, value in found.items()}

    def __str__(self) -> str:
        rows = [f"{self.sentence + 1}. {self.source}", f"   = {self.chosen}"]
        if self.changed:
            rows.append(f"     (candidate {self.place}; the first was: {self.first})")
        if self.changed and self.groups:
            rows.append(f"     {self.by_group}")
        for ngram in self.ngrams:
            rows.append(f"     {ngram}")
            rows += [f"           {pair.source} = {pair.target}" for pair in ngram.pairs]
        if self.by_neighbours and not self.support:
            rows.append(f"     {_no_support(self.neighbours)}")
        for one in self.support:
            where = "memory" if one.in_memory else "input"
            rows.append(f"     {one.share:4.0%}  {where}, similarity {one.similarity:.2f}: {one.source}")
            rows.append(f"           = {one.target}")
        if self.support and self.unnamed:
            rows.append(f"     and {_similar(self.unnamed)} more")
        return "\n".join(rows) + "\n"


def _similar(number: int) -> str:
    return f"{number} similar sentence{'s' if number > 1 else ''}"


def _no_support(neighbours: int) -> str:
    if not neighbours:
        return "no similar sentence"
    return f"{_similar(neighbours)}, {'none shares an' if neighbours > 1 else 'which shares no'} n-gram"


def require_neighbours(options: RerankOptions) -> None:
    """Reject methods whose choices cannot be explained: they use neither neighbours nor a memory."""
    if not uses_neighbours(options) and not options.memory_groups:
        features = f" with --features {','.join(options.groups) or 'none'}" if options.method == "g-rerank" else ""
        raise OptionError(
            f"{options.method}{features} uses no neighbours; nothing to explain.",
            hint="Use g-rerank with memory or gc among its features, or struct-lp.",
        )


def explain(
    candidates: Candidates, reranker: Reranker, ranked: Ranked | Values, offset: int = 0, most: int = MOST
) -> Iterator[Explanation]:
    """Find the neighbours, or the n-grams and memory pairs, that supported the best candidate of each sentence.

    The share of a neighbour is the mean over the similarities that ranked the candidate.

    Parameters
    ----------
    candidates
        Sentences with their lists.
    reranker
        The re-ranker that chose.
    ranked
        The result of :meth:`Reranker.rank`; its scores alone are enough without features of a memory.
    offset
        The number of the first sentence.
    most
        The most neighbours to report for a sentence.

    Yields
    ------
    Explanation
        An explanation for each sentence.

    Examples
    --------
    >>> from graphmt.consensus import Candidates, NBestList, RerankOptions, Reranker, explain, make_memory
    >>> options = RerankOptions()
    >>> memory = make_memory([("das Haus ist klein", "the house is small")], options)
    >>> lists = [NBestList.of(0, [("a house is small", -1.0), ("the house is small", -1.1)])]
    >>> candidates = Candidates(["das Haus ist klein"], lists, memory, options)
    >>> reranker = Reranker.untuned(candidates.features, options)
    >>> list(explain(candidates, reranker, reranker.rank(candidates).scores))
    [Explanation(0, 'the house is small', 1 neighbour)]
    """
    options = reranker.options
    require_neighbours(options)
    explainer = None
    if options.memory_groups:
        ranked = ranked if isinstance(ranked, Ranked) else reranker.rank(candidates)
        explainer = NgramExplainer(candidates, reranker, ranked)
    orders = ranked.orders(candidates) if isinstance(ranked, Ranked) else candidates.order(ranked)
    graph, values = _propagated(candidates, reranker) if uses_neighbours(options) else (None, None)

    def one(sentence: int, chosen: int) -> Explanation:
        if graph is not None and values is not None:
            made = explained(candidates, graph, values, sentence, chosen, offset, most)
        else:
            made = _choice(candidates, sentence, chosen, offset)
        if explainer is None:
            return made
        ngrams, groups = explainer.ngrams(sentence, chosen), explainer.groups(sentence, chosen)
        return dataclasses.replace(made, ngrams=ngrams, groups=groups)

    return (one(sentence, order[0]) for sentence, order in enumerate(orders))


def _choice(candidates: Candidates, sentence: int, chosen: int, offset: int) -> Explanation:
    """A choice without neighbours."""
    given = candidates.lists[sentence]
    return Explanation(
        sentence + offset,
        candidates.sources[sentence],
        given.texts[chosen],
        given.texts[0],
        chosen + 1,
        0,
        (),
        by_neighbours=False,
    )


def _propagated(candidates: Candidates, reranker: Reranker) -> tuple[_core.ConsensusGraph, Values]:
    """The graph of the last scores, and the propagated probabilities."""
    if reranker.options.method == "struct-lp":
        graph, scores = candidates.made_graph(("bleu",)), candidates.scores
    else:
        before = dataclasses.replace(reranker, stages=reranker.stages[:-1])
        graph, scores = candidates.graph, before.combined(candidates).scores
    return graph, candidates.propagated(graph, candidates.posterior(scores, reranker.scale))


def explained(
    candidates: Candidates,
    graph: _core.ConsensusGraph,
    values: Values,
    sentence: int,
    chosen: int,
    offset: int = 0,
    most: int = MOST,
) -> Explanation:
    """The explanation of any candidate, from the propagated probabilities of a graph."""
    support = graph.support(values, sentence, chosen)
    first = graph.support(values, sentence, 0) if chosen else support
    strength, before = _means(support), _means(first)
    total = strength.sum() or 1.0
    shown = []
    for place in np.argsort(-strength, kind="stable")[:most].tolist():
        if strength[place] <= 0:
            break
        one = support[place]
        shown.append(
            NeighbourSupport(
                source=candidates.sources[one.node] if one.source is None else one.source,
                target=one.label,
                similarity=one.weight,
                in_memory=one.in_memory,
                share=float(strength[place] / total),
                over_first=float((strength[place] - before[place]) / total),
                number=one.node if one.in_memory else one.node + offset,
            )
        )
    given = candidates.lists[sentence]
    return Explanation(
        sentence=sentence + offset,
        source=candidates.sources[sentence],
        chosen=given.texts[chosen],
        first=given.texts[0],
        place=chosen + 1,
        neighbours=sum({(one.in_memory, one.node): one.count for one in support}.values()),
        support=tuple(shown),
    )


def _means(support: Sequence[_core.LabelSupport]) -> Values:
    if not support:
        return np.zeros(0)
    means: Values = np.array([one.added for one in support], dtype=np.float64).mean(axis=1)
    return means
