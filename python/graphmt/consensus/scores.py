"""The column of log-probabilities: found by name, format or values, or computed from a score divided by the length."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphmt.consensus.options import AUTO, RerankOptions
from graphmt.errors import InputError, OptionError
from graphmt.nbest import NBestList
from graphmt.nbest.scores import LOG_PROBABILITY, SCORE, ScoreMeaning, meaning_of_name
from graphmt.options import nearest
from graphmt.storage.files import AnyPath

log = logging.getLogger(__name__)

Values = npt.NDArray[np.float64]

#: Names of columns with the length in tokens, in lower case.
LENGTHS = ("length", "len", "tokens", "num_tokens")
#: Averages for each token are above this; sums of log-probabilities of longer sentences are below.
AVERAGE = -1.5
#: Sums of log-probabilities fall with the length at least so clearly: the least correlation.
CORRELATED = 0.3
#: Within a list, sums fall with the length more clearly than averages. Lists of a Transformer have correlations of -0.7
#: for sums and -0.1 to -0.2 for averages, also those of its most confident sentences.
FALLING = -0.45
#: Sentences that a correlation over sentences needs, and candidates of other lengths that one within lists needs.
FEWEST = 20
FEWEST_CANDIDATES = 40
#: How near to a whole number the quotient of two columns must be, for how many of the candidates.
NEAR, MOST_NEAR = 0.05, 0.95


def score_column(features: Sequence[str], options: RerankOptions) -> str:
    """The column of the model's score: as the options say, or a log-probability by its name, or the score."""
    if options.score != AUTO:
        return options.score
    return next((name for name in features if meaning_of_name(name) is ScoreMeaning.SUM), SCORE)


def posterior_column(options: RerankOptions) -> str:
    """The column whose softmax is the posterior, with settled options."""
    return LOG_PROBABILITY if options.normalised == "yes" else options.score


def require_column(features: Sequence[str], options: RerankOptions) -> None:
    """Reject lists without the column of log-probabilities, or with one in the place of the computed one."""
    if options.score not in features:
        raise OptionError(f"the lists have no column {options.score!r}{nearest(options.score, features)}.")
    if options.normalised == "yes" and LOG_PROBABILITY in features:
        raise OptionError(
            f"the lists have a column {LOG_PROBABILITY} already.",
            hint=f"Give --score {LOG_PROBABILITY} --normalised no.",
        )


def has_scores(lists: Sequence[NBestList], column: str) -> bool:
    """Whether a column says anything about the candidates: missing scores and placeholders are 0."""
    return any(bool(one.values[:, one.features.index(column)].any()) for one in lists)


def require_same_scores(is_scored: bool, is_tuned_scored: bool | None, file: AnyPath | None = None) -> None:
    """Reject lists with scores for weights tuned without them, and the reverse; None: it is not known."""
    if is_tuned_scored is None or is_scored == is_tuned_scored:
        return
    own, tuned = ("no scores", "had scores") if is_tuned_scored else ("scores", "had no scores")
    raise InputError(
        f"the lists have {own}, and those that were tuned on {tuned}.",
        file=file,
        hint="Give both with scores, or both without.",
    )


def column_names_of(features: Sequence[str], options: RerankOptions) -> tuple[str, ...]:
    """The columns of lists with the one that is computed, with settled options."""
    return (*features, LOG_PROBABILITY) if options.normalised == "yes" else tuple(features)


def settled_score(first: NBestList, options: RerankOptions) -> RerankOptions:
    """With the column of log-probabilities, as far as the names of columns and the format tell it."""
    if options.score == AUTO and options.method == "none":
        # The order of the lists is that of their scores.
        return options.replace(score=SCORE, normalised="no")
    if options.score == AUTO:
        options = options.replace(score=first.log_probability or SCORE)
    if options.normalised == AUTO:
        divided = first.meanings.get(options.score) is ScoreMeaning.NORMALISED
        options = options.replace(normalised="yes" if divided else "no")
    return options


def detected_score(lists: Sequence[NBestList], options: RerankOptions) -> RerankOptions:
    """With the column of log-probabilities; where neither names nor format tell it, judged by the values."""
    if not lists or (options.method == "none" and options.score == AUTO):
        return options
    first = lists[0]
    if options.score == AUTO and options.normalised == AUTO and first.log_probability is None:
        if (summed := _sum_column(lists)) is not None:
            log.info(f"The score is {summed} divided by the length: {summed} is taken as the log-probability.")
            return options.replace(score=summed, normalised="no")
        if first.meanings.get(SCORE) is ScoreMeaning.UNKNOWN and _are_averages(lists):
            log.info(
                "The scores look like log-probabilities divided by the length, and are multiplied by it "
                "(--normalised no: take them as they are)."
            )
            return options.replace(score=SCORE, normalised="yes")
    settled = settled_score(first, options)
    meaning = first.meanings.get(settled.score, ScoreMeaning.UNKNOWN)
    if settled.normalised == "yes":
        log.info(f"Column {settled.score}: divided by the length; its product with the length is used.")
    elif meaning is ScoreMeaning.UNKNOWN:
        log.info(f"Column {settled.score}: taken as a log-probability (--score names another one).")
    elif meaning is ScoreMeaning.SUM and settled.score != SCORE:
        log.info(f"Column {settled.score}: the log-probability.")
    return settled


def log_probability_column(lists: Sequence[NBestList], texts: Sequence[Sequence[str]], column: str) -> Values:
    """A column divided by the length, multiplied by it; ``texts`` are the tokenised candidates of each list."""
    return np.concatenate(
        [one.values[:, one.features.index(column)] * _lengths(one, own) for one, own in zip(lists, texts, strict=True)]
    )


def _lengths(one: NBestList, texts: Sequence[str]) -> Values:
    """The lengths of candidates: as the system counts them if that is known, otherwise words and the end."""
    if one.lengths:
        return np.array(one.lengths)
    named = next((place for place, name in enumerate(one.features) if name.lower() in LENGTHS), None)
    if named is not None and (one.values[:, named] > 0).all():
        lengths: Values = one.values[:, named]
        return lengths
    return np.array([len(text.split()) + 1 for text in texts], dtype=np.float64)


def _sum_column(lists: Sequence[NBestList]) -> str | None:
    """The column whose quotient by the score is a whole number that varies: the sum of which the score is the mean."""
    values = np.concatenate([one.values for one in lists])
    score = values[:, 0]
    known = score < 0
    if known.sum() < FEWEST:
        return None
    for place, name in enumerate(lists[0].features[1:], 1):
        quotient = values[known, place] / score[known]
        whole = np.round(quotient)
        near = (np.abs(quotient - whole) < NEAR) & (whole >= 1)
        if near.mean() >= MOST_NEAR and len(np.unique(whole[near])) > 2:
            return name
    return None


def _are_averages(lists: Sequence[NBestList]) -> bool:
    """Whether scores are averages for each token: small, and hardly falling with the length.

    Candidates of one list tell it best: their lengths differ more than their quality. Without enough of these, the
    sentences are compared. In doubt they are taken as averages. A sum multiplied by the length makes the posterior
    sharp, and the list's order is kept more often; an average taken as a sum makes it flat, and the order is lost.
    """
    best = np.array([one.values[:, 0].max() for one in lists])
    if (best > 0).any() or np.median(best) < AVERAGE or not (best < 0).any():
        return False
    if (falling := _within_lists(lists)) is not None:
        return falling > FALLING
    words = np.array([len(one.texts[int(one.values[:, 0].argmax())].split()) for one in lists], dtype=np.float64)
    if len(lists) < FEWEST or words.std() == 0 or best.std() == 0:
        return bool(np.median(words) > 3)
    return bool(np.corrcoef(-best, words)[0, 1] < CORRELATED)


def _within_lists(lists: Sequence[NBestList]) -> float | None:
    """The correlation of scores and lengths within lists; None if too few candidates differ in length."""
    scores, words = [], []
    for one in lists:
        lengths = np.array([len(text.split()) for text in one.texts], dtype=np.float64)
        scores.append(one.values[:, 0] - one.values[:, 0].mean())
        words.append(lengths - lengths.mean())
    score, length = np.concatenate(scores), np.concatenate(words)
    if (length != 0).sum() < FEWEST_CANDIDATES or score.std() == 0:
        return None
    return float(np.corrcoef(score, length)[0, 1])
