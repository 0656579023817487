"""Options of tuning."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class TuneOptions(Options):
    """How weights are tuned: the loop, then each tuner's own options."""

    tuner: str = option(
        "mira",
        "mert: line search for corpus BLEU (Och 2003), for up to some fifteen features; mira: batch MIRA (Cherry and "
        "Foster 2012), steady with any number; pro: pairwise ranking (Hopkins and May 2011).",
        choices=("mert", "mira", "pro"),
    )
    metric: str = option(
        "bleu",
        "What is tuned for: bleu, or ter (translation edit rate), which only mert can. The weights kept are those with "
        "which the development set is translated best by it.",
        choices=("bleu", "ter"),
    )
    n_best: int = option(100, "Hypotheses taken from each sentence in an iteration.", minimum=1)
    distinct: bool = option(
        True,
        "Only hypotheses that differ as text. Without it a list is mostly derivations of few texts (under 5 in 100 for "
        "gbmt-ctx, whose rules come with and without context), and tuning goes astray.",
    )
    iterations: int = option(15, "Most times that the development set is translated.", minimum=1)
    patience: int = option(
        3, "Iterations without a better translation of the development set after which tuning stops.", minimum=1
    )
    ignore_case: bool = option(False, "BLEU without regard to case (sacreBLEU's -lc).")
    seed: int = option(
        1, "Seed of everything random; runs with several seeds show the spread.", minimum=0, maximum=2**32 - 1
    )
    threads: int = option(
        0,
        "Threads; 0 means one for each core. The weights are the same for any number.",
        minimum=0,
        maximum=MOST_THREADS,
    )

    restarts: int = option(5, "mert: further searches, from random points around the weights.", minimum=0)
    random_directions: int = option(4, "mert: directions beside one for each feature.", minimum=0)
    narrowest: float = option(
        1e-4,
        "mert: shortest interval of a weight that is taken for an optimum; shorter ones are chance.",
        minimum=0,
    )

    c: float = option(0.01, "mira: longest step; smaller learns slower and steadier.", minimum=0)
    decay: float = option(0.999, "mira: what the background statistics keep from sentence to sentence.", minimum=0)
    epochs: int = option(60, "mira: passes over the lists in an iteration.", minimum=1)

    draws: int = option(5000, "pro: pairs drawn for a sentence.", minimum=1)
    kept: int = option(50, "pro: of these, the pairs kept, which differ most.", minimum=1)
    difference: float = option(0.05, "pro: least difference of a pair in sentence BLEU.", minimum=0)
    penalty: float = option(1.0, "pro: L2 penalty of the logistic regression.", minimum=0)
    interpolation: float = option(
        0.3, "pro: share of the new weights; 0.1 as in the paper needs some 30 iterations.", minimum=0, maximum=1
    )
