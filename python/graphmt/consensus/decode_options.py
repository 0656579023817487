"""Options of decoding with consensus."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option

DECODE_FEATURES = ("gc+lc", "gc", "lc")


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
        "Features to decode with. gc: consensus of similar spans (formula 9); lc: consensus within a span (formula "
        "11).",
        choices=DECODE_FEATURES,
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
