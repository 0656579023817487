"""Options of tuning."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class TuneOptions(Options):
    """How weights are tuned: the loop, then each tuner's own options.

    Examples
    --------
    >>> from graphmt.tune import TuneOptions
    >>> TuneOptions(tuner="mert", seed=2)
    TuneOptions(tuner='mert', seed=2)
    """

    tuner: str = option(
        "mira",
        "mert: line search for corpus BLEU (Och 2003), for up to about fifteen features; mira: batch MIRA (Cherry and "
        "Foster 2012), stable with any number; pro: pairwise ranking (Hopkins and May 2011).",
        choices=("mert", "mira", "pro"),
    )
    metric: str = option(
        "bleu",
        "Metric to optimise: bleu, or ter (translation edit rate; mert only). The weights that translate the "
        "development set best by this metric are kept.",
        choices=("bleu", "ter"),
    )
    n_best: int = option(100, "Hypotheses per sentence and iteration.", minimum=1)
    distinct: bool = option(
        True,
        "Only hypotheses that differ as text. Without this, lists are mostly derivations of a few texts (under 5 in "
        "100 for gbmt-ctx, whose rules exist with and without context), and tuning is unstable.",
    )
    iterations: int = option(15, "Maximum number of iterations over the development set.", minimum=1)
    patience: int = option(3, "Stop after this many iterations without improvement on the development set.", minimum=1)
    pop_share: float = option(
        1.0,
        "Share of the model's pop limit while tuning; half of it saves a third of the time (chart systems) and may "
        "cost a little BLEU.",
        minimum=0,
    )
    least_new: float = option(
        0.01,
        "Stop when an iteration adds fewer new hypotheses than this share of all lists: the weights hardly move.",
        minimum=0,
        maximum=1,
    )
    lowercase: bool = option(False, "Case-insensitive BLEU (sacreBLEU's -lc).")
    seed: int = option(1, "Random seed; runs with several seeds show the variance.", minimum=0, maximum=2**32 - 1)
    threads: int = option(
        0,
        "Threads; 0: one per core. The weights do not depend on it.",
        minimum=0,
        maximum=MOST_THREADS,
    )

    restarts: int = option(
        5, "mert: additional searches from random points around the weights.", minimum=0, only=("tuner", ("mert",))
    )
    random_directions: int = option(
        4, "mert: random directions in addition to one per feature.", minimum=0, only=("tuner", ("mert",))
    )
    narrowest: float = option(
        1e-4,
        "mert: shortest interval of a weight that counts as an optimum; shorter ones are noise.",
        minimum=0,
        only=("tuner", ("mert",)),
    )

    c: float = option(
        0.01, "mira: maximum step size; smaller is slower and more stable.", minimum=0, only=("tuner", ("mira",))
    )
    decay: float = option(
        0.999, "mira: decay of the background statistics per sentence.", minimum=0, only=("tuner", ("mira",))
    )
    epochs: int = option(60, "mira: passes over the lists per iteration.", minimum=1, only=("tuner", ("mira",)))

    draws: int = option(5000, "pro: pairs sampled per sentence.", minimum=1, only=("tuner", ("pro",)))
    kept: int = option(
        50, "pro: pairs kept of these, those with the largest difference.", minimum=1, only=("tuner", ("pro",))
    )
    difference: float = option(
        0.05, "pro: minimum sentence-BLEU difference of a pair.", minimum=0, only=("tuner", ("pro",))
    )
    penalty: float = option(1.0, "pro: L2 penalty of the logistic regression.", minimum=0, only=("tuner", ("pro",)))
    interpolation: float = option(
        0.3,
        "pro: interpolation weight of the new weights; the paper's 0.1 needs about 30 iterations.",
        minimum=0,
        maximum=1,
        only=("tuner", ("pro",)),
    )
