"""Options of an experiment."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class ExperimentOptions(Options):
    """Changes to a recipe, and how it runs.

    Examples
    --------
    >>> from graphmt.experiments import ExperimentOptions
    >>> ExperimentOptions(seeds=1, tuner="mert")
    ExperimentOptions(seeds=1, tuner='mert')
    """

    seeds: int | None = option(None, "Tuning runs of each system; none: the recipe's number.", minimum=1, maximum=100)
    first_seed: int = option(1, "Seed of the first run; the others count up.", minimum=0, maximum=2**32 - 1)
    tuner: str | None = option(
        None,
        "Tuner; none: the recipe's. untuned translates with the systems' initial weights, in one run.",
        choices=("mira", "mert", "pro", "untuned"),
    )
    aligner: str = option("thot-eflomal", "Word alignment model, run once per corpus; published figures have this one.")
    order: int = option(5, "Order of the language model, trained once per corpus.", minimum=1, maximum=6)
    samples: int = option(1000, "Bootstrap resamples, for standard deviations.", minimum=10)
    trials: int = option(10_000, "Trials of the significance test.", minimum=10)
    threads: int = option(0, "Threads; 0: one per core. Results do not depend on it.", minimum=0, maximum=MOST_THREADS)
