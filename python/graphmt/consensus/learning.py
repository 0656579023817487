"""Tuning a re-ranker: Algorithm 1, semi-supervised learning."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from graphmt.consensus.candidates import Candidates, Values, names_of, weighted
from graphmt.consensus.options import RerankOptions
from graphmt.consensus.reranker import Reranker, anchored, direct, require_new
from graphmt.consensus.scores import posterior_column
from graphmt.errors import InputError, OptionError
from graphmt.memory_features import FittedFeatures, MemoryResources
from graphmt.nbest.scores import ScoreMeaning, meaning_of_name
from graphmt.reprs import counted
from graphmt.tune import NBest, TuneOptions, TuneResult, corpus_bleu, optimise
from graphmt.tune.bleu import words

log = logging.getLogger(__name__)

#: With fewer sentences of the development set, a warning is given. Measured on lists of a Transformer with the training
#: corpus as memory, weights tuned on 1 to 20 sentences lost up to 4.9 BLEU against the order of the lists, those tuned
#: on 50 up to 0.2, and those tuned on 100 lost nothing (four samples each, two corpora).
FEWEST_SENTENCES = 100
#: Scales of the posterior to try if none is given: fewer where each needs a run of the tuner.
SCALES = (0.25, 0.5, 1.0, 2.0, 4.0)
TUNED_SCALES = (0.5, 1.0, 2.0)
MOST_SCALE = 64.0
#: Log-probabilities have the scale 1. MBR takes another only if it gains more than this on the development set: smaller
#: differences are noise.
NOISE = 0.2
#: Exponents of the posterior in Struct-LP to try if none is given.
ANCHORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
#: Tuning has converged when BLEU gains less.
LEAST_GAIN = 0.01
#: The initial weight of consensus features; that of the model's score is 1.
START = 0.1


@dataclasses.dataclass(frozen=True)
class _Turn:
    weights: Mapping[str, float]
    bleu: float


class _Lists:
    """Lists with their features, as input for the tuner."""

    def __init__(self, candidates: Candidates, values: Values, start: Mapping[str, float]) -> None:
        self.candidates, self.values, self.features = candidates, values, start

    def decode(self, weights: Mapping[str, float]) -> NBest:
        return self.candidates.as_nbest(self.values, weighted(self.values, list(self.features), weights))


def learn(
    candidates: Candidates,
    references: Sequence[Sequence[str]],
    options: RerankOptions,
    resources: MemoryResources | None = None,
) -> Reranker:
    """Tune a re-ranker on a development set.

    The weights without consensus give the first posteriors; then the graph is built and weights are tuned
    alternately until BLEU converges (Algorithm 1). The scale of the posterior is the one with the best BLEU after
    the first turn.

    Parameters
    ----------
    candidates
        The sentences of the development set with their lists.
    references
        For each sentence its references, tokenised.
    options
        The method and its settings.
    resources
        The index, language model and lexicon of a memory, for the features memory, lm and lexicon. Their columns are
        computed once, those of n-gram posteriors by cross-fitting.

    Returns
    -------
    Reranker
        The tuned re-ranker.

    Examples
    --------
    >>> from graphmt.consensus import Candidates, NBestList, RerankOptions, learn
    >>> lists = [NBestList.of(0, [("the house is a small", -1.0), ("the house is small", -1.1)])]
    >>> options = RerankOptions(method="none")
    >>> learn(Candidates(["das Haus ist klein"], lists, None, options), [["the house is small"]], options)
    Reranker('none', 1 weight, dev BLEU 100.00)
    """
    if len(references) != len(candidates):
        raise InputError(f"{len(candidates)} lists, but references for {len(references)} sentences.")
    own = candidates.options
    settled = {name: getattr(own, name) for name in ("score", "normalised", "lowercase", "tokenise")}
    options = options.settled(tuned=True, memory=None if resources is None else 0).replace(**settled)
    require_new(candidates.features, options)
    if len(candidates) < FEWEST_SENTENCES:
        log.warning(
            f"Tuning on {counted(len(candidates), 'sentence')}: with fewer than {FEWEST_SENTENCES}, the result can be "
            "worse than without tuning."
        )
    direct_method = options.method not in ("g-rerank", "none")
    scales = (options.scale,) if options.scale is not None else SCALES if direct_method else TUNED_SCALES
    if direct_method:
        made = _scaled(candidates, references, options, scales)
    elif not options.memory_groups:
        made = learn_weights(candidates, references, options, scales)
    else:
        made = _with_memory(candidates, references, options, scales, resources)
    return dataclasses.replace(made, scored=candidates.is_scored)


def _with_memory(
    candidates: Candidates,
    references: Sequence[Sequence[str]],
    options: RerankOptions,
    scales: Sequence[float],
    resources: MemoryResources | None,
) -> Reranker:
    """Tune with the columns of a memory."""
    if resources is None:
        raise OptionError(f"{', '.join(options.memory_groups)} need a translation memory.", hint="Give a memory.")
    lists = candidates.sentence_lists(references)
    fitted, columns = FittedFeatures.fit(options.memory_groups, resources, lists)
    made = learn_weights(candidates.with_columns(fitted.names, columns), references, options, scales)
    return dataclasses.replace(made, features=candidates.features, fitted=fitted)


def learn_weights(
    candidates: Candidates, references: Sequence[Sequence[str]], options: RerankOptions, scales: Sequence[float]
) -> Reranker:
    """Tune the weights of all columns and of consensus features (Algorithm 1)."""
    start = {name: float(name == posterior_column(options)) for name in candidates.features}
    base = _tuned(candidates, candidates.values, start, references, options)
    added = f" and {', '.join(options.memory_groups)}" if options.memory_groups else ""
    log.info(f"weights of the lists' own features{added}: dev BLEU {base.bleu:.2f}")
    names = names_of(options.groups)
    if not names or options.method == "none":
        return Reranker(options, candidates.features, scales[0], (base.weights,), (base.bleu,))
    scores = weighted(candidates.values, candidates.features, base.weights)
    start |= dict.fromkeys(names, START)

    def turn(scores: Values, scale: float) -> tuple[_Turn, Values]:
        values = np.hstack([candidates.values, candidates.consensus(candidates.posterior(scores, scale))])
        made = _tuned(candidates, values, start, references, options)
        return made, weighted(values, list(start), made.weights)

    own = scores
    scale, (first, scores) = best_scale(scales, lambda scale: turn(own, scale), lambda made: made[0].bleu)
    turns = [_Turn(base.weights, base.bleu), first]
    while len(turns) <= options.alternations:
        made, scores = turn(scores, scale)
        log.info(f"turn {len(turns)} of graph and weights: dev BLEU {made.bleu:.2f}")
        if made.bleu < turns[-1].bleu + LEAST_GAIN:
            break
        turns.append(made)
    stages, bleu = tuple(t.weights for t in turns), tuple(t.bleu for t in turns)
    return Reranker(options, candidates.features, scale, stages, bleu)


def _tuned(
    candidates: Candidates,
    values: Values,
    start: Mapping[str, float],
    references: Sequence[Sequence[str]],
    options: RerankOptions,
) -> _Turn:
    tuner = options.tuner if options.tuner != "auto" else "mira" if options.memory_groups else "mert"
    lowercase = bool(options.lowercase)
    tuning = TuneOptions(tuner=tuner, seed=options.seed, threads=options.threads, lowercase=lowercase)
    split = [[words(line, lowercase) for line in lines] for lines in references]
    if not options.memory_groups:
        found: TuneResult = optimise(_Lists(candidates, values, start), split, tuning, fixed=())
        return _Turn(found.weights, found.bleu)
    # Sums over n-grams and log-probabilities differ by orders of magnitude; MIRA's steps suit columns of one scale.
    scale = candidates.spreads(values)
    scaled = {name: weight * size for (name, weight), size in zip(start.items(), scale, strict=True)}
    found = optimise(_Lists(candidates, values / scale, scaled), split, tuning, fixed=())
    weights = {name: found.weights[name] / float(size) for name, size in zip(start, scale, strict=True)}
    return _Turn(weights, found.bleu)


def _scaled(
    candidates: Candidates, references: Sequence[Sequence[str]], options: RerankOptions, scales: Sequence[float]
) -> Reranker:
    """For methods without weights: tune only the scale of the posterior, and its exponent in Struct-LP."""
    column = posterior_column(options)
    start = {name: float(name == column) for name in candidates.features}
    tuned_anchor = options.method == "struct-lp" and options.anchor is None
    lowercase = bool(options.lowercase)

    def bleu(scores: Values) -> float:
        best = [own[order[0]] for own, order in zip(candidates.texts, candidates.order(scores), strict=True)]
        return corpus_bleu(best, references, lowercase=lowercase, threads=options.threads)

    def attempt(scale: float) -> tuple[float, float | None]:
        posterior = candidates.posterior(candidates.scores, scale)
        if not tuned_anchor:
            return bleu(direct(candidates, posterior, options)), options.anchor
        found = direct(candidates, posterior, options.replace(anchor=0.0))
        tried = [(bleu(anchored(found, posterior, power, options.floor)), power) for power in ANCHORS]
        return max(tried, key=lambda one: one[0])

    prefers_one = options.method.startswith("mbr") and is_log_probability(candidates, column)
    noise = NOISE if prefers_one else 0.0
    scale, (best, anchor) = best_scale(scales, attempt, lambda made: made[0], noise)
    return Reranker(options.replace(anchor=anchor), candidates.features, scale, (start,), (best,))


def is_log_probability(candidates: Candidates, column: str) -> bool:
    """Whether a column holds log-probabilities, by its name or the format of the lists."""
    meanings = candidates.lists[0].meanings if candidates.lists else {}
    return ScoreMeaning.SUM in (meaning_of_name(column), meanings.get(column))


Made = TypeVar("Made")


def best_scale(
    scales: Sequence[float], attempt: Callable[[float], Made], bleu: Callable[[Made], float], noise: float = 0.0
) -> tuple[float, Made]:
    """The scale of the posterior with the best BLEU, and its result; of those within the noise, the one nearest to 1.

    Systems differ in the range of their scores: if the largest scale is the best, larger ones are tried.
    """
    tried: list[tuple[float, Made]] = []
    rest = list(scales)
    while rest:
        scale = rest.pop(0)
        tried.append((scale, attempt(scale)))
        log.info(f"scale {scale:g} of the posterior: dev BLEU {bleu(tried[-1][1]):.2f}")
        best = max(tried, key=lambda one: bleu(one[1]))
        if not rest and len(scales) > 1 and best[0] == scale < MOST_SCALE:
            rest.append(2 * scale)
    if not noise:
        return best
    near = [one for one in tried if bleu(one[1]) >= bleu(best[1]) - noise]
    return min(near, key=lambda one: abs(math.log(one[0])) if one[0] > 0 else math.inf)
