"""Options of an experiment."""

from __future__ import annotations

import dataclasses

from graphmt.align import AlignOptions
from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class ExperimentOptions(Options):
    """What of a recipe is changed, and how it runs."""

    seeds: int | None = option(None, "Tuning runs of each system; none: as the recipe says.", minimum=1, maximum=100)
    first_seed: int = option(1, "Seed of the first run; the others follow.", minimum=0, maximum=2**32 - 1)
    tuner: str | None = option(
        None,
        "Tuner; none given: the recipe's. untuned translates with the weights that systems start with, in one run.",
        choices=("mira", "mert", "pro", "untuned"),
    )
    aligner: str = option(AlignOptions().model, "Model of word alignment, made once for a corpus.")
    order: int = option(5, "Order of the language model, made once for a corpus.", minimum=1, maximum=6)
    trials: int = option(10_000, "Trials of the significance test.", minimum=10)
    threads: int = option(
        0, "Threads; 0 means one for each core. Results are the same.", minimum=0, maximum=MOST_THREADS
    )
