"""Options of decoding with consensus."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option

DECODE_FEATURES = ("gc+lc", "gc", "lc")


@dataclasses.dataclass(frozen=True)
class ConsensusOptions(Options):
    """How a chart is decoded with translation consensus (G-Decode, Liu et al. 2012, section 5.2)."""

    features: str = option(
        "gc+lc",
        "Features that decoding has. gc: consensus of similar spans (formula 9); lc: consensus within a span (formula "
        "11).",
        choices=DECODE_FEATURES,
    )
    threshold: float = option(
        0.3,
        "Least similarity of spans that are joined, symmetric sentence BLEU (formula 10); the paper has 0.3.",
        minimum=0.19,
        maximum=1.0,
    )
    neighbours: int = option(
        10, "Most similar strings that a span is joined with, the most similar; time grows with it.", minimum=0
    )
    shorter: int = option(
        1,
        "A span is joined with its sub-spans that are this many words shorter at most. The paper joins all (say 1000); "
        "time grows with the square.",
        unit="words",
        minimum=0,
    )
    between: bool = option(False, "Join similar spans of different sentences of the input too; equal ones are one.")
    labels: int = option(5, "Most translations of a span that the graph has.", minimum=1, maximum=100)
    whole: int = option(20, "Most translations of a whole sentence that the graph has.", minimum=1, maximum=1000)
    scale: float = option(0.5, "Factor of the scores in the softmax that gives posteriors.", minimum=0.0)
    normalise: str = option(
        "receiver",
        "What similarities of translations are normalised over: receiver, neighbour (formula 8 as printed) or plain, "
        "as in re-ranking.",
        choices=("receiver", "neighbour", "plain"),
    )
    sharpness: float = option(
        1.0, "Power of the similarity by which neighbours are weighed; 1 is formula (3).", minimum=0.0
    )
    rounds: int = option(5, "Most rounds of propagation.", minimum=1)
    tolerance: float = option(1e-4, "Change of probabilities below which propagation has converged.", minimum=0.0)
    floor: float = option(
        1e-4,
        "Least probability whose logarithm is a feature; what is below counts as nothing.",
        minimum=1e-12,
        maximum=1.0,
    )
    tuner: str = option("mert", "Tuner of the weights (see graphmt tune).", choices=("mert", "mira", "pro"))
    tune_all: bool = option(
        False,
        "Tune the model's own weights together with those of consensus; off: those of consensus alone, beside the "
        "model's score as it is.",
    )
    alternations: int = option(
        1,
        "Most times that graph and weights are made anew in turn (Algorithm 1; the paper has 10); it ends when BLEU "
        "converges. Each is one more pass over everything that is translated.",
        minimum=1,
    )
    seed: int = option(1, "Seed of tuning.", minimum=0, maximum=2**32 - 1)
    chunk: int = option(
        500, "Sentences whose spans are in one graph; memory grows with it, 0.5 MiB a sentence.", minimum=1
    )
    threads: int = option(
        0, "Threads; 0 means one for each core. Results are the same.", minimum=0, maximum=MOST_THREADS
    )
