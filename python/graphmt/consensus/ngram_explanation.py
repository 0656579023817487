"""Which n-grams decided a choice, and the memory pairs that they came from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from graphmt import _core
from graphmt.consensus.candidates import NAMES, Candidates, Values
from graphmt.consensus.reranker import Ranked, Reranker
from graphmt.evidence import CandidatePlace, SentenceLists
from graphmt.memory_features import FittedFeatures
from graphmt.memory_features.groups import GROUPS, WORDS

#: Maximum numbers of n-grams in an explanation, and of pairs for each.
MOST_NGRAMS, MOST_PAIRS = 5, 2
#: The list's own features among the groups.
OWN = "own"


@dataclasses.dataclass(frozen=True)
class SupportingPair:
    """A pair of the memory that has an n-gram.

    Examples
    --------
    >>> from graphmt.consensus import SupportingPair
    >>> SupportingPair("wie geht ' s ?", "how 's it going ?").target
    "how 's it going ?"
    """

    source: str
    target: str


@dataclasses.dataclass(frozen=True)
class NgramEvidence:
    """An n-gram of the chosen candidate or of the list's first, and why it is probable or not.

    Examples
    --------
    >>> from graphmt.consensus import NgramEvidence
    >>> print(NgramEvidence("the house", 0.8, True, "das haus", 4, 5))
    80%  the house (4 of 5 pairs with: das haus)
    """

    words: str
    #: The probability that a reference has it.
    probability: float
    #: Whether the choice has it; otherwise the list's first candidate has it, and the choice has not.
    chosen: bool
    #: The n-gram of the source whose memory pairs have it most often; empty if no pair has it.
    source: str = ""
    #: The pairs with that source n-gram that have it, and how many were examined.
    supporting: int = 0
    examined: int = 0
    pairs: tuple[SupportingPair, ...] = ()
    #: The pairs that have it among the nearest by vectors.
    similar: int = 0

    def __str__(self) -> str:
        seen = f"{self.supporting} of {self.examined} pairs with: {self.source}" if self.source else ""
        if self.similar:
            seen += f"{', ' if seen else ''}{self.similar} of the nearest by vectors"
        seen = seen or "no pair has it"
        only = "" if self.chosen else ", only in the first candidate"
        return f"{self.probability:.0%}  {self.words} ({seen}{only})"


class NgramExplainer:
    """Explains the choices of a re-ranker with features of a memory."""

    def __init__(self, candidates: Candidates, reranker: Reranker, ranked: Ranked) -> None:
        assert reranker.fitted is not None
        self._fitted: FittedFeatures = reranker.fitted
        self._lists = self._fitted.resources.with_neighbours(candidates.sentence_lists())
        self._starts = candidates.starts
        #: The weighted columns of each group.
        self._groups: dict[str, Values] = {}
        for name, weight in reranker.stages[-1].items():
            own = name in candidates.features
            values = candidates.values[:, candidates.features.index(name)] if own else ranked.added[name]
            group = _group_of(name)
            self._groups[group] = self._groups.get(group, 0.0) + weight * values

    def groups(self, sentence: int, chosen: int) -> dict[str, float]:
        """How much each group of features adds to the choice's score, compared with the list's first candidate."""
        start = int(self._starts[sentence])
        return {name: float(values[start + chosen] - values[start]) for name, values in self._groups.items()}

    def ngrams(self, sentence: int, chosen: int) -> tuple[NgramEvidence, ...]:
        """The n-grams in which the choice and the first candidate differ most; without a change, the most probable."""
        if self._fitted.posteriors is None:
            return ()
        own = self._support(sentence, chosen)
        if not chosen:
            longer = [one for one in own if " " in one.words]
            best = sorted(longer or own, key=lambda one: -one.probability)
            return tuple(self._evidence(one, True) for one in best[:MOST_NGRAMS])
        first = self._support(sentence, 0)
        known, new = {one.words for one in first}, {one.words for one in own}
        gained = sorted((one for one in own if one.words not in known), key=lambda one: -one.probability)
        lost = sorted((one for one in first if one.words not in new), key=lambda one: one.probability)
        return (
            *(self._evidence(one, True) for one in _distinct(gained)[:MOST_NGRAMS]),
            *(self._evidence(one, False) for one in _distinct(lost)[:MOST_NGRAMS]),
        )

    def _support(self, sentence: int, place: int) -> list[_core.NgramSupport]:
        lists = self._lists
        scores = lists.log_probabilities
        alone = SentenceLists(
            [lists.sources[sentence]],
            [lists.candidates[sentence]],
            None if scores is None else [scores[sentence]],
            by_vectors=None if lists.by_vectors is None else [lists.by_vectors[sentence]],
        )
        return self._fitted.explain(alone, CandidatePlace(0, place))

    def _evidence(self, one: _core.NgramSupport, chosen: bool) -> NgramEvidence:
        assert self._fitted.resources.index is not None
        index, source = self._fitted.resources.index, one.source
        near = [neighbour.pair for neighbour in one.by_vectors]
        found = [index.pair(number) for number in (near if source is None else source.pairs)[:MOST_PAIRS]]
        pairs = tuple(SupportingPair(pair.source, pair.target) for pair in found)
        made = NgramEvidence(one.words, one.probability, chosen, pairs=pairs, similar=len(near))
        if source is None:
            return made
        return dataclasses.replace(made, source=source.words, supporting=len(source.pairs), examined=source.examined)


def _group_of(column: str) -> str:
    """The group of a column, ``words`` for the number of words, or ``own``."""
    known = {**GROUPS, **NAMES, "words": (WORDS,)}
    return next((group for group, names in known.items() if column in names), OWN)


def _distinct(ngrams: Sequence[_core.NgramSupport]) -> list[_core.NgramSupport]:
    """Those that are not part of an n-gram before them, nor contain one."""
    kept: list[_core.NgramSupport] = []
    for one in ngrams:
        words = f" {one.words} "
        if not any(words in f" {other.words} " or f" {other.words} " in words for other in kept):
            kept.append(one)
    return kept
