"""Options of decoding with consensus."""

from __future__ import annotations

import dataclasses

from graphmt.errors import OptionError
from graphmt.options import MOST_THREADS, Options, nearest, option

#: Groups of features in the order of the core, and their columns: one for each n = 1..4, and for GC the share of values
#: below the floor.
DECODE_FEATURES = {
    "gc": ("gc1", "gc2", "gc3", "gc4", "gc-none"),
    "gc-memory": ("gcm1", "gcm2", "gcm3", "gcm4", "gcm-none"),
    "gc-spans": ("gcs1", "gcs2", "gcs3", "gcs4", "gcs-none"),
    "lc": ("lc1", "lc2", "lc3", "lc4"),
    "memory": ("memory1", "memory2", "memory3", "memory4"),
}


@dataclasses.dataclass(frozen=True)
class ConsensusOptions(Options):
    """How a chart is decoded with translation consensus (G-Decode, Liu et al. 2012, section 5.2).

    Examples
    --------
    >>> from graphmt.consensus import ConsensusOptions
    >>> ConsensusOptions(neighbours=20)
    ConsensusOptions(neighbours=20)
    """

    features: str = option(
        "gc+lc",
        "Groups of features to decode with, joined by commas. gc: consensus of similar spans (formula 9); gc-memory "
        "and gc-spans: the same from the memory and from the spans of the input, separately; lc: consensus within a "
        "span (formula 11); memory: probabilities of n-grams, predicted from the training corpus.",
    )
    threshold: float = option(
        0.3,
        "Minimum similarity of connected spans, symmetric sentence BLEU (formula 10); the paper uses 0.3.",
        minimum=0.19,
        maximum=1.0,
    )
    neighbours: int = option(
        10, "Maximum number of similar strings connected to a span; time grows with it.", minimum=0
    )
    shorter: int = option(
        1,
        "A span is connected to its sub-spans that are at most this many words shorter. The paper connects all (say "
        "1000); time grows quadratically.",
        unit="words",
        minimum=0,
    )
    between: bool = option(False, "Also connect similar spans of different input sentences; equal spans are merged.")
    labels: int = option(5, "Maximum number of translations of a span in the graph.", minimum=1, maximum=100)
    whole: int = option(20, "Maximum number of translations of a whole sentence in the graph.", minimum=1, maximum=1000)
    scale: float = option(0.5, "Scale of the scores in the softmax that yields posteriors.", minimum=0.0)
    normalise: str = option(
        "receiver",
        "Normalise similarities of translations over: receiver, neighbour (formula 8 as printed) or plain, as in "
        "re-ranking.",
        choices=("receiver", "neighbour", "plain"),
    )
    sharpness: float = option(
        1.0, "Exponent of the similarity in the weight of a neighbour; 1 is formula (3).", minimum=0.0
    )
    rounds: int = option(5, "Maximum number of propagation rounds.", minimum=1)
    tolerance: float = option(1e-4, "Propagation has converged when probabilities change by less.", minimum=0.0)
    floor: float = option(
        1e-4,
        "Smallest probability whose logarithm is used as a feature; smaller ones count as none.",
        minimum=1e-12,
        maximum=1.0,
    )
    search: str = option(
        "forest",
        "forest: consensus ranks the translations in the forest of the first pass. cells: a second pass through the "
        "chart, in which consensus also orders the hypotheses of every cell, as in the paper; it takes more than twice "
        "the time.",
        choices=("forest", "cells"),
    )
    tuner: str = option("mert", "Tuner of the weights (see graphmt tune).", choices=("mert", "mira", "pro"))
    tune_all: bool = option(
        False,
        "Tune the model's own weights together with those of consensus; off: only those of consensus, with the "
        "model's score as one feature.",
    )
    alternations: int = option(
        1,
        "Maximum number of alternations between building the graph and tuning (Algorithm 1; the paper uses 10); stops "
        "when BLEU converges. Each is another pass over the text.",
        minimum=1,
    )
    seed: int = option(1, "Random seed of tuning.", minimum=0, maximum=2**32 - 1)
    chunk: int = option(500, "Sentences that share one graph; memory grows by 0.5 MiB per sentence.", minimum=1)
    threads: int = option(0, "Threads; 0: one per core. Results do not depend on it.", minimum=0, maximum=MOST_THREADS)

    def __post_init__(self) -> None:
        super().__post_init__()
        asked = self.features.replace(",", " ").replace("+", " ").split()
        for group in asked:
            if group not in DECODE_FEATURES:
                raise OptionError(f"features cannot be {group!r}{nearest(group, DECODE_FEATURES)}.")
        if not asked:
            raise OptionError("features cannot be empty.", hint="Give groups joined by commas, such as gc,lc.")
        object.__setattr__(self, "features", "+".join(group for group in DECODE_FEATURES if group in asked))

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of features, in the order of the core."""
        return tuple(self.features.split("+"))

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in the order of the core."""
        return tuple(name for group in self.groups for name in DECODE_FEATURES[group])
