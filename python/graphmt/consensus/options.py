"""Options of re-ranking."""

from __future__ import annotations

import dataclasses

from graphmt.errors import OptionError
from graphmt.options import MOST_THREADS, Options, nearest, option

#: The value of options that depend on the input.
AUTO = "auto"
METHODS = ("g-rerank", "struct-lp", "mbr-bleu", "mbr-chrf", "none")
#: Groups of features, in the order of their columns: those from a memory, then those of Liu et al. (2012).
FEATURES = ("memory", "lm", "lexicon", "gc", "lc")
#: The groups that :mod:`graphmt.memory_features` computes.
MEMORY_FEATURES = FEATURES[:3]
#: Those of them that auto uses without a development set.
UNTUNED_FEATURES = ("memory", "lm")
#: In smaller memories, fixed weights use only close neighbours: shares of a few pairs tell little.
FEWEST_PAIRS = 1000
#: The threshold without a development set. With 0.3, fixed weights gain more on one corpus and lose on another.
CLOSE = 0.5
#: Values of the option that are not groups.
ALONE = ("none", AUTO)


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
        "none: the order of the lists, or with a development set their own features tuned anew.",
        choices=METHODS,
    )
    features: str = option(
        AUTO,
        "Groups of features that g-rerank adds, joined by commas. auto: with a memory memory,lm,lexicon, or memory,lm "
        "without a development set; without a memory gc,lc. Without a development set and with fewer than 1,000 pairs, "
        "gc with a threshold of at least 0.5. memory: "
        "probabilities of n-grams, predicted from the memory; lm: a language model of its target side; lexicon: word "
        "translation probabilities. gc: consensus of similar sentences (formula 9); lc: consensus within the list "
        "(formula 11); none: only re-tunes the lists' own features.",
        only=("method", ("g-rerank",)),
    )
    classifier: str = option(
        "gb",
        "Classifier of n-grams for memory: gb, gradient boosting of trees, the more accurate; lr, logistic regression, "
        "steadier with a few hundred development sentences.",
        choices=("gb", "lr"),
        only=("method", ("g-rerank",)),
    )
    threshold: float = option(
        0.3,
        "Minimum similarity of neighbours, symmetric sentence BLEU (formula 10); the paper uses 0.3. Lower values find "
        "more, less similar neighbours; below 0.1875 they need not share a trigram.",
        minimum=0.19,
        maximum=1.0,
        only=("method", ("g-rerank", "struct-lp")),
    )
    between: bool = option(
        True,
        "Also connect similar input sentences with each other, not only with the memory.",
        only=("method", ("g-rerank", "struct-lp")),
    )
    normalise: str = option(
        "receiver",
        "Normalise similarities of translations over: neighbour, the neighbour's translations (formula 8 as printed; a "
        "neighbour with one translation then supports all candidates that share an n-gram with it equally); receiver, "
        "the candidates; plain, not at all.",
        choices=("receiver", "neighbour", "plain"),
        only=("method", ("g-rerank", "struct-lp")),
    )
    sharpness: float = option(
        1.0,
        "Exponent of the similarity in the weight of a neighbour; 1 is formula (3), more favours the most similar.",
        minimum=0.0,
        only=("method", ("g-rerank", "struct-lp")),
    )
    score: str = option(
        AUTO,
        "Column of the lists whose softmax is the posterior: score, or a feature, preferably a log-probability. auto: "
        "a log-probability if a column is one by its name, its format or its values, otherwise score.",
    )
    normalised: str = option(
        AUTO,
        "Whether that column is divided by the length; it is then multiplied by the length and added as a column "
        "log_probability. auto: as the format says, otherwise judged by the values.",
        choices=(AUTO, "yes", "no"),
    )
    scale: float | None = option(
        None, "Scale of the scores in that softmax; none: tuned on the development set, or 1 without one.", minimum=0.0
    )
    anchor: float | None = option(
        0.0,
        "struct-lp: multiply the propagated probability of a candidate by this power of its posterior. 0: not at all, "
        "as in the paper; none: tuned on the development set, or 1 without one.",
        minimum=0.0,
        only=("method", ("struct-lp",)),
    )
    abstain: bool | None = option(
        None,
        "Keep the order of a list whose sentence the memory does not cover: with memory, if it has less than 30 % of "
        "the source's trigrams; with gc, if no sentence is similar. none: without a development set.",
    )
    rounds: int = option(
        20, "Maximum number of propagation rounds.", minimum=1, only=("method", ("g-rerank", "struct-lp"))
    )
    tolerance: float = option(
        1e-6,
        "Propagation has converged when probabilities change by less.",
        minimum=0.0,
        only=("method", ("g-rerank", "struct-lp")),
    )
    per_sentence: bool = option(
        False, "Build a graph per sentence instead of a joint one: same results, for graphs that are too large."
    )
    floor: float = option(
        1e-4,
        "Smallest probability whose logarithm is used as a feature; smaller ones count as none.",
        minimum=1e-12,
        maximum=1.0,
    )
    lowercase: bool | None = option(
        None,
        "Compare everything in lower case, including BLEU on the development set; none: if the lists are in lower case "
        "and the memory is not, or the reverse.",
    )
    tokenise: bool | None = option(
        None,
        "Tokenise all texts for comparison; the output stays as the system wrote it. none: if the lists or the memory "
        "are not tokenised.",
    )
    source_language: str = option(
        "en", "Language of the source, for splitting; by default as the memory says.", unit="code"
    )
    target_language: str = option(
        "en", "Language of the translations, for splitting; by default as the memory says.", unit="code"
    )
    tuner: str = option(
        "auto",
        "Tuner of the weights (see graphmt tune); auto: mira with memory, lm or lexicon, otherwise mert.",
        choices=("auto", "mert", "mira", "pro"),
    )
    alternations: int = option(
        10,
        "Maximum number of alternations of graph building and tuning (Algorithm 1); stops when BLEU converges.",
        minimum=1,
        only=("method", ("g-rerank",)),
    )
    seed: int = option(1, "Random seed of tuning.", minimum=0, maximum=2**32 - 1)
    chunk: int = option(
        10_000, "Sentences held in memory at a time; similar ones are joined within them.", unit="sentences", minimum=1
    )
    threads: int = option(0, "Threads; 0: one per core. Results do not depend on it.", minimum=0, maximum=MOST_THREADS)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "features", _in_order(self.features))

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of features that are added to the lists."""
        asked = ("gc", "lc") if self.features == AUTO else self.features.split("+")
        return tuple(group for group in FEATURES if group in asked) if self.method == "g-rerank" else ()

    def settled(self, *, tuned: bool, memory: int | None) -> RerankOptions:
        """With the features that auto stands for, with or without a development set and a memory of some pairs.

        An option that the method does not read is an error.
        """
        self.acting()
        if self.features != AUTO or self.method != "g-rerank":
            return self._settled_abstain(tuned)
        if memory is not None and (tuned or memory >= FEWEST_PAIRS):
            return self.replace(features="+".join(MEMORY_FEATURES if tuned else UNTUNED_FEATURES))._settled_abstain(
                tuned
            )
        if tuned:
            return self.replace(features="gc+lc")
        # Only close neighbours change an order.
        return self.replace(features="gc", threshold=max(self.threshold, CLOSE), abstain=self.abstain is not False)

    def _settled_abstain(self, tuned: bool) -> RerankOptions:
        return self if self.abstain is not None else self.replace(abstain=bool(self.memory_groups) and not tuned)

    @property
    def memory_groups(self) -> tuple[str, ...]:
        """Those that :mod:`graphmt.memory_features` computes."""
        return tuple(group for group in self.groups if group in MEMORY_FEATURES)


def _in_order(features: str) -> str:
    """Groups joined by commas, spaces or plus signs, in their order and joined by plus signs."""
    asked = features.replace(",", " ").replace("+", " ").split()
    for group in asked:
        if group not in (*FEATURES, *ALONE):
            raise OptionError(f"features cannot be {group!r}{nearest(group, (*FEATURES, *ALONE))}.")
    if not asked or (len(set(asked)) > 1 and not set(asked).isdisjoint(ALONE)):
        raise OptionError(f"features cannot be {features!r}.", hint="Give groups joined by commas, or none.")
    return "+".join(group for group in (*FEATURES, *ALONE) if group in asked)
