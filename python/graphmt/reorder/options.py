"""Options of the reordering model."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class ReorderOptions(Options):
    """How the reordering model of BTG is trained.

    Examples
    --------
    >>> from graphmt.reorder import ReorderOptions
    >>> ReorderOptions(conjunctions=False)
    ReorderOptions(conjunctions=False)
    """

    max_length: int = option(
        7,
        "Maximum number of words on a side of a block used for training; longer blocks teach the order of larger "
        "parts and yield more examples.",
        unit="words",
        minimum=1,
        maximum=256,
    )
    blocks: str = option(
        "all",
        "Which of the block pairs that meet at the same position to train on: all, or only the smallest or largest, "
        "which yields far fewer examples.",
        choices=("all", "smallest", "largest"),
    )
    conjunctions: bool = option(
        True,
        "Also learn weights for pairs of boundary words: a better model, several times larger and slower.",
    )
    minimum_count: int = option(
        5, "Drop features of fewer examples than this; trades a little quality for a smaller model.", minimum=1
    )
    variance: float = option(
        1.0, "Variance of the Gaussian prior on the weights; smaller values draw them to 0.", minimum=1e-9
    )
    tolerance: float = option(
        5e-3,
        "Training stops when five iterations together improve the objective by no more than this fraction.",
        minimum=0,
    )
    iterations: int = option(200, "Maximum number of L-BFGS iterations.", minimum=1)
    held_out: int = option(
        20, "Hold out one in this many sentence pairs, at random, for measuring accuracy; 0: none.", minimum=0
    )
    max_examples: int = option(
        5_000_000,
        "Maximum number of examples in memory; larger corpora are sampled, reproducibly.",
        minimum=1000,
    )
    threads: int = option(
        0, "Threads; 0: one per core. The model does not depend on it.", minimum=0, maximum=MOST_THREADS
    )
