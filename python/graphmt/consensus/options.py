"""Options of re-ranking."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option

METHODS = ("g-rerank", "struct-lp", "mbr-bleu", "mbr-chrf", "none")
FEATURES = ("gc+lc", "gc", "lc", "none")


@dataclasses.dataclass(frozen=True)
class RerankOptions(Options):
    """How n-best lists are re-ranked by consensus (Liu et al. 2012).

    Examples
    --------
    >>> from graphmt.consensus import RerankOptions
    >>> RerankOptions(method="mbr-bleu")
    RerankOptions(method='mbr-bleu')
    """

    method: str = option(
        "g-rerank",
        "g-rerank: adds consensus features to those of the lists, with weights tuned on a development set; struct-lp: "
        "structured label propagation alone; mbr-bleu, mbr-chrf: minimum Bayes risk within the list, without a memory; "
        "none: the order of the lists.",
        choices=METHODS,
    )
    features: str = option(
        "gc+lc",
        "Features that g-rerank adds. gc: consensus of similar sentences (formula 9); lc: consensus within the list "
        "(formula 11); none: only re-tunes the lists' own features.",
        choices=FEATURES,
    )
    threshold: float = option(
        0.3,
        "Minimum similarity of neighbours, symmetric sentence BLEU (formula 10); the paper uses 0.3. Lower values find "
        "more, less similar neighbours; below 0.1875 they need not share a trigram.",
        minimum=0.19,
        maximum=1.0,
    )
    between: bool = option(True, "Also connect similar input sentences with each other, not only with the memory.")
    normalise: str = option(
        "receiver",
        "Normalise similarities of translations over: neighbour, the neighbour's translations (formula 8 as printed; a "
        "neighbour with one translation then supports all candidates that share an n-gram with it equally); receiver, "
        "the candidates; plain, not at all.",
        choices=("receiver", "neighbour", "plain"),
    )
    sharpness: float = option(
        1.0,
        "Exponent of the similarity in the weight of a neighbour; 1 is formula (3), more favours the most similar.",
        minimum=0.0,
    )
    score: str = option(
        "score",
        "Column of the lists whose softmax is the posterior: score, or a feature such as LogProb; preferably a "
        "log-probability.",
    )
    scale: float | None = option(
        None, "Scale of the scores in that softmax; none: tuned on the development set, or 1 without one.", minimum=0.0
    )
    rounds: int = option(20, "Maximum number of propagation rounds.", minimum=1)
    tolerance: float = option(1e-6, "Propagation has converged when probabilities change by less.", minimum=0.0)
    per_sentence: bool = option(
        False, "Build a graph per sentence instead of a joint one: same results, for graphs that are too large."
    )
    floor: float = option(
        1e-4,
        "Smallest probability whose logarithm is used as a feature; smaller ones count as none.",
        minimum=1e-12,
        maximum=1.0,
    )
    lowercase: bool = option(False, "Compare everything in lower case, including BLEU on the development set.")
    tokenise: bool = option(False, "Tokenise the texts first; off for tokenised text.")
    source_language: str = option("en", "Language of the source, for splitting.", unit="code")
    target_language: str = option("en", "Language of the translations, for splitting.", unit="code")
    tuner: str = option("mert", "Tuner of the weights (see graphmt tune).", choices=("mert", "mira", "pro"))
    alternations: int = option(
        10,
        "Maximum number of alternations of graph building and tuning (Algorithm 1); stops when BLEU converges.",
        minimum=1,
    )
    seed: int = option(1, "Random seed of tuning.", minimum=0, maximum=2**32 - 1)
    chunk: int = option(
        10_000, "Sentences held in memory at a time; similar ones are joined within them.", unit="sentences", minimum=1
    )
    threads: int = option(0, "Threads; 0: one per core. Results do not depend on it.", minimum=0, maximum=MOST_THREADS)
