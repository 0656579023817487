"""Why a candidate was chosen: the neighbours that spoke for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from graphmt import _core
from graphmt.consensus.candidates import Candidates, Values
from graphmt.consensus.options import RerankOptions
from graphmt.consensus.reranker import Reranker, hears_neighbours
from graphmt.draw.neighbours import Speaker, neighbours_svg
from graphmt.errors import OptionError

#: Neighbours that an explanation names.
MOST = 5


@dataclasses.dataclass(frozen=True)
class Voice:
    """A translation of a similar sentence, and how much it says for the choice."""

    source: str
    target: str
    #: Of the two source sentences, formula (10).
    similarity: float
    #: Whether it is a pair of the memory, or a candidate of another sentence of the input.
    in_memory: bool
    #: Its part of all that was said for the choice; the voices of a choice sum up to 1.
    share: float
    #: What it says for the choice over what it says for the candidate that was first before, in points of its share.
    over_first: float
    #: Of its sentence, from 0: in the input, or among the different sources of the memory.
    number: int = 0


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A choice, and who spoke for it."""

    #: From 0.
    sentence: int
    source: str
    chosen: str
    #: The first candidate of the list as it came.
    first: str
    #: The place that the choice had there, from 1.
    place: int
    #: Similar sentences; ``voices`` are the loudest of their translations.
    neighbours: int
    voices: tuple[Voice, ...]

    @property
    def changed(self) -> bool:
        """Whether re-ranking chose another candidate."""
        return self.place > 1

    @property
    def unnamed(self) -> int:
        """Similar sentences that no voice is of."""
        return self.neighbours - len({(voice.in_memory, voice.number) for voice in self.voices})

    @property
    def svg(self) -> str:
        """The choice and those who spoke for it, drawn."""
        speakers = [Speaker(voice.source, voice.target, voice.similarity, voice.share) for voice in self.voices]
        return neighbours_svg(self.source, self.chosen, speakers)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        rows = [f"{self.sentence + 1}. {self.source}", f"   = {self.chosen}"]
        if self.changed:
            rows.append(f"     (candidate {self.place}; the first was: {self.first})")
        if not self.voices:
            rows.append(f"     {_silence(self.neighbours)}")
        for voice in self.voices:
            where = "memory" if voice.in_memory else "input"
            rows.append(f"     {voice.share:4.0%}  {where}, similarity {voice.similarity:.2f}: {voice.source}")
            rows.append(f"           = {voice.target}")
        if self.voices and self.unnamed:
            rows.append(f"     and {_similar(self.unnamed)} more")
        return "\n".join(rows) + "\n"


def _similar(number: int) -> str:
    return f"{number} similar sentence{'s' if number > 1 else ''}"


def _silence(neighbours: int) -> str:
    if not neighbours:
        return "no similar sentence"
    return f"{_similar(neighbours)}, {'none shares an' if neighbours > 1 else 'which shares no'} n-gram"


def require_neighbours(options: RerankOptions) -> None:
    """Refuse methods by which no neighbour speaks."""
    if not hears_neighbours(options):
        features = f" with --features {options.features}" if options.method == "g-rerank" else ""
        raise OptionError(
            f"{options.method}{features} hears from no similar sentence, so there is nobody to name.",
            hint="Use g-rerank with gc among its features, or struct-lp.",
        )


def explain(
    candidates: Candidates, reranker: Reranker, scores: Values, offset: int = 0, most: int = MOST
) -> Iterator[Explanation]:
    """Who spoke for the best candidate of each sentence, by the mean over the similarities that ranked it.

    ``scores`` are what the re-ranker gave.
    """
    require_neighbours(reranker.options)
    graph, values = _heard(candidates, reranker)
    orders = enumerate(candidates.order(scores))
    return (explained(candidates, graph, values, sentence, order[0], offset, most) for sentence, order in orders)


def _heard(candidates: Candidates, reranker: Reranker) -> tuple[_core.ConsensusGraph, Values]:
    """The graph that the last scores come of, and what was propagated in it."""
    if reranker.options.method == "struct-lp":
        graph, scores = candidates.made_graph(("bleu",)), candidates.scores
    else:
        before = dataclasses.replace(reranker, stages=reranker.stages[:-1])
        graph, scores = candidates.graph, before.rank(candidates).scores
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
    """The same for any candidate, from the p that propagation in a graph gave."""
    said = graph.support(values, sentence, chosen)
    first = graph.support(values, sentence, 0) if chosen else said
    loud, before = _means(said), _means(first)
    total = loud.sum() or 1.0
    shown = []
    for place in np.argsort(-loud, kind="stable")[:most].tolist():
        if loud[place] <= 0:
            break
        one = said[place]
        shown.append(
            Voice(
                source=candidates.sources[one.node] if one.source is None else one.source,
                target=one.label,
                similarity=one.weight,
                in_memory=one.in_memory,
                share=float(loud[place] / total),
                over_first=float((loud[place] - before[place]) / total),
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
        neighbours=len({(one.in_memory, one.node) for one in said}),
        voices=tuple(shown),
    )


def _means(said: Sequence[_core.LabelSupport]) -> Values:
    if not said:
        return np.zeros(0)
    means: Values = np.array([one.added for one in said], dtype=np.float64).mean(axis=1)
    return means
