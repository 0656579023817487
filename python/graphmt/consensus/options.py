"""Options of re-ranking."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option

METHODS = ("g-rerank", "struct-lp", "mbr-bleu", "mbr-chrf", "none")
FEATURES = ("gc+lc", "gc", "lc", "none")


@dataclasses.dataclass(frozen=True)
class RerankOptions(Options):
    """How n-best lists are re-ranked by consensus (Liu et al. 2012)."""

    method: str = option(
        "g-rerank",
        "g-rerank: consensus features beside those of the lists, weights tuned on a development set; struct-lp: by "
        "structured label propagation alone; mbr-bleu, mbr-chrf: minimum Bayes risk within the list, without a memory; "
        "none: as the lists have it.",
        choices=METHODS,
    )
    features: str = option(
        "gc+lc",
        "Features that g-rerank adds. gc: consensus of similar sentences (formula 9); lc: consensus within the list "
        "(formula 11); none: the lists' own features, tuned again.",
        choices=FEATURES,
    )
    threshold: float = option(
        0.3,
        "Least similarity of neighbours, symmetric sentence BLEU (formula 10); the paper has 0.3. Lower finds more and "
        "less similar ones; below 0.1875 similar sentences need not share a trigram.",
        minimum=0.19,
        maximum=1.0,
    )
    between: bool = option(True, "Join similar sentences of the input with one another, not only with the memory.")
    normalise: str = option(
        "receiver",
        "What similarities of translations are normalised over. neighbour: the neighbour's translations, formula (8) "
        "as printed, by which one with a single translation says the same of every candidate that shares an n-gram "
        "with it; receiver: the candidates; plain: similarities as they are.",
        choices=("receiver", "neighbour", "plain"),
    )
    sharpness: float = option(
        1.0,
        "Power of the similarity by which neighbours are weighed; 1 is formula (3), more favours the nearest.",
        minimum=0.0,
    )
    score: str = option(
        "score",
        "Column of the lists whose softmax is the posterior: score, or a feature such as LogProb; a log-probability if "
        "there is one.",
    )
    scale: float | None = option(
        None, "Factor of the scores in that softmax; none: tuned on the development set, 1 without one.", minimum=0.0
    )
    rounds: int = option(20, "Most rounds of propagation.", minimum=1)
    tolerance: float = option(1e-6, "Change of probabilities below which propagation has converged.", minimum=0.0)
    per_sentence: bool = option(
        False, "A graph for each sentence instead of a joint one: the same results, for graphs that are too large."
    )
    floor: float = option(
        1e-4,
        "Least probability whose logarithm is a feature; what is below counts as nothing.",
        minimum=1e-12,
        maximum=1.0,
    )
    lowercase: bool = option(False, "Compare everything in lower case, BLEU on the development set too.")
    tokenise: bool = option(False, "Split words and punctuation first; off for text that has its tokens already.")
    source_language: str = option("en", "Language of the source, for splitting.", unit="code")
    target_language: str = option("en", "Language of the translations, for splitting.", unit="code")
    tuner: str = option("mert", "Tuner of the weights (see graphmt tune).", choices=("mert", "mira", "pro"))
    alternations: int = option(
        10,
        "Most times that graph and weights are made anew in turn (Algorithm 1); it ends when BLEU converges.",
        minimum=1,
    )
    seed: int = option(1, "Seed of tuning.", minimum=0, maximum=2**32 - 1)
    chunk: int = option(
        10_000, "Sentences held in memory at a time; similar ones are joined within them.", unit="sentences", minimum=1
    )
    threads: int = option(
        0, "Threads; 0 means one for each core. Results are the same.", minimum=0, maximum=MOST_THREADS
    )
