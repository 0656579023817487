"""Options of the models of lexical selection: of their training, and of the search."""

from __future__ import annotations

import dataclasses

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class GmOptions(Options):
    """What collective lexical selection (gm) counts in a corpus."""

    source_window: int = option(
        15, "d_s: most positions between two related source words.", unit="words", minimum=1, maximum=1000
    )
    target_window: int = option(
        20, "d_t: most positions between two target words that count as near.", unit="words", minimum=1, maximum=1000
    )
    source_count: int = option(
        5, "cf: related source words occur together more often than this; fewer graphs, but surer ones.", minimum=0
    )
    source_pmi: float = option(
        0.0, "Related source words have more pointwise mutual information than this.", unit="nats"
    )
    target_count: int = option(
        0, "Pairs of target words that do not occur together more often than this are forgotten.", minimum=0
    )
    lemmas: bool = option(
        True,
        "Count relatedness on lemmas (package simplemma), adjectives and adverbs as they are; off: on forms.",
    )
    dimensions: int = option(
        0,
        "Dimensions of the target words' vectors, for gm_relatedness = embeddings (100 will do); 0: no vectors.",
        minimum=0,
        maximum=1000,
    )
    more_source: tuple[str, ...] = option(
        (), "Further source text, as CoNLL-U, in which source words are counted.", unit="file"
    )
    more_target: tuple[str, ...] = option((), "Further target text in which target words are counted.", unit="file")
    memory: int = option(512, "Memory for counted pairs; what is above goes to temporary files.", unit="MiB", minimum=1)
    threads: int = option(0, "Threads; 0 means one for each core.", minimum=0, maximum=MOST_THREADS)


@dataclasses.dataclass(frozen=True)
class LrsmOptions(Options):
    """The classifiers of lexicalised rule selection (lrsm)."""

    occurrences: float = option(
        10.0, "Source sides that occur less often have no classifier; fewer make it slower and larger.", minimum=1
    )
    classes: int = option(
        20, "Most target sides that a classifier tells apart; the others are one class together.", minimum=1
    )
    features: float = option(
        2.0, "What is seen less often with a source side (counts may be shares) is not looked at.", minimum=0
    )
    variance: float = option(
        1.0, "Variance of the Gaussian prior on weights; less keeps nearer to relative frequencies.", minimum=1e-6
    )
    iterations: int = option(50, "Most iterations of L-BFGS for a classifier.", minimum=1)
    memory: int = option(
        512,
        "Memory for matches; what is above goes to temporary files. All matches of one source side are in memory.",
        unit="MiB",
        minimum=1,
    )
    threads: int = option(0, "Threads; 0 means one for each core.", minimum=0, maximum=MOST_THREADS)


@dataclasses.dataclass(frozen=True)
class TsmOptions(Options):
    """The topics of topic similarity (tsm)."""

    topics: int = option(30, "Topics of each side.", minimum=2, maximum=1000)
    document_length: int = option(
        10,
        "Sentences that make a document where there is no mark (# newdoc in CoNLL-U) before; 0: all of a file. "
        "Translation takes the same, unless [search] says otherwise.",
        unit="sentences",
        minimum=0,
    )
    iterations: int = option(200, "Rounds of Gibbs sampling.", minimum=1)
    most_frequent: int = option(50, "So many of the most frequent words have no topic.", minimum=0)
    seed: int = option(1, "Seed of the sampling.", minimum=0, maximum=2**32 - 1)
    memory: int = option(
        512,
        "Memory for counted rules; what is above goes to temporary files. Beside it there are 12 bytes for each rule "
        "and about 30 for each distinct profile.",
        unit="MiB",
        minimum=1,
    )
    threads: int = option(0, "Threads of the second step; 0 means one for each core.", minimum=0, maximum=MOST_THREADS)


@dataclasses.dataclass(frozen=True)
class GmSearchOptions(Options):
    """Options of the search that collective lexical selection (gm) reads."""

    gm_relatedness: str = option(
        "pmi",
        "How collective lexical selection (gm) measures that two target words go together. pmi: pointwise mutual "
        "information; lm: the probability of one near the other; embeddings: the angle between vectors that were "
        "learned from what is near them (beyond the paper; for a model trained with dimensions in [gm]).",
        choices=("pmi", "lm", "embeddings"),
    )
    gm_reallocation: float = option(
        0.15,
        "λ of the random walk of gm: less lets target words support one another more; the paper's is 0.1 to 0.25.",
        minimum=0.01,
        maximum=0.99,
    )
    gm_prior: bool = option(
        False,
        "In gm a translation has support as it goes with others and as its word is often translated so (beyond the "
        "paper, where rare translations have as much support as frequent ones).",
    )
    gm_keep: bool = option(
        False,
        "In gm translations without content words, which nothing supports, keep their share, and the others share the "
        "rest (beyond the paper, where any content word wins over them).",
    )


@dataclasses.dataclass(frozen=True)
class TsmSearchOptions(Options):
    """Options of the search that topic similarity (tsm) reads."""

    document_length: int = option(
        10,
        "Sentences that topic similarity (tsm) takes for a document where there is no mark (# newdoc in CoNLL-U) "
        "before; 0: all of a file. The default is what tsm was trained with.",
        unit="sentences",
        minimum=0,
    )


@dataclasses.dataclass(frozen=True)
class SelectionSearchOptions(TsmSearchOptions, GmSearchOptions):
    """Options of the search that models of lexical selection read; a new model adds its class here."""
