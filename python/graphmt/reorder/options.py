"""Options of the reordering model."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class ReorderOptions(Options):
    """How the reordering model of BTG is trained."""

    max_length: int = option(
        7,
        "Most words on a side of a block that is learnt from; longer blocks teach the order of larger parts, and make "
        "more examples.",
        unit="words",
        minimum=1,
        maximum=256,
    )
    blocks: str = option(
        "all",
        "Which of the block pairs that meet at the same place are learnt from: all, or the smallest or largest blocks "
        "only, which makes far fewer examples.",
        choices=("all", "smallest", "largest"),
    )
    conjunctions: bool = option(
        True,
        "Weights for pairs of boundary words too: a better model, several times larger and slower to ask.",
    )
    minimum_count: int = option(
        5, "Leave out features that fewer examples have; a smaller model for a little quality.", minimum=1
    )
    variance: float = option(
        1.0, "Variance of the Gaussian prior on the weights; smaller draws them nearer to 0.", minimum=1e-9
    )
    tolerance: float = option(
        1e-3,
        "Training ends when five iterations together improve the objective by no more than this share of it.",
        minimum=0,
    )
    iterations: int = option(200, "Most iterations of L-BFGS.", minimum=1)
    held_out: int = option(
        20, "One sentence pair in so many, drawn by lot, is not trained on but measured with; 0: none.", minimum=0
    )
    max_examples: int = option(
        5_000_000,
        "Most examples in memory; of a corpus that has more, a random sample is taken, the same each time.",
        minimum=1000,
    )
    threads: int = option(
        0, "Threads; 0: as many as there are cores. The model is the same for any.", minimum=0, maximum=MOST_THREADS
    )
