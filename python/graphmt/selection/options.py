"""Options of the models of lexical selection: of their training, and of the search."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from graphmt.options import MOST_THREADS, Options, option


@dataclasses.dataclass(frozen=True)
class GmOptions(Options):
    """What collective lexical selection (gm) counts in a corpus.

    Examples
    --------
    >>> from graphmt.selection import GmOptions
    >>> GmOptions(source_window=10)
    GmOptions(source_window=10)
    """

    source_window: int = option(
        15, "d_s: maximum distance of two related source words.", unit="words", minimum=1, maximum=1000
    )
    target_window: int = option(
        20, "d_t: maximum distance of two co-occurring target words.", unit="words", minimum=1, maximum=1000
    )
    source_count: int = option(
        5,
        "cf: related source words co-occur more often than this; higher gives fewer, more reliable graphs.",
        minimum=0,
    )
    source_pmi: float = option(
        0.0, "Related source words have a higher pointwise mutual information than this.", unit="nats"
    )
    target_count: int = option(0, "Drop pairs of target words that do not co-occur more often than this.", minimum=0)
    lemmas: bool = option(
        True,
        "Count relatedness on lemmas (package simplemma), but adjectives and adverbs as they are; off: on word forms.",
    )
    dimensions: int = option(
        0,
        "Dimensions of the target words' vectors, for gm_relatedness = embeddings (100 is enough); 0: no vectors.",
        minimum=0,
        maximum=1000,
    )
    more_source: tuple[str, ...] = option(
        (), "Additional source text, as CoNLL-U, for counting source words.", unit="file"
    )
    more_target: tuple[str, ...] = option((), "Additional target text for counting target words.", unit="file")
    max_memory: int = option(
        512, "Memory for counting pairs; more is sorted in temporary files.", unit="MiB", minimum=1
    )
    threads: int = option(0, "Threads; 0: one per core.", minimum=0, maximum=MOST_THREADS)


@dataclasses.dataclass(frozen=True)
class LrsmOptions(Options):
    """The classifiers of lexicalised rule selection (lrsm).

    Examples
    --------
    >>> from graphmt.selection import LrsmOptions
    >>> LrsmOptions(variance=0.5)
    LrsmOptions(variance=0.5)
    """

    occurrences: float = option(
        10.0, "Minimum occurrences of a source side with a classifier; lower is slower and larger.", minimum=1
    )
    classes: int = option(
        20, "Maximum number of target sides a classifier distinguishes; the rest form one class.", minimum=1
    )
    features: float = option(
        2.0, "Ignore features seen less often with a source side (counts may be fractional).", minimum=0
    )
    variance: float = option(
        1.0, "Variance of the Gaussian prior on weights; smaller stays closer to relative frequencies.", minimum=1e-6
    )
    iterations: int = option(50, "Maximum number of L-BFGS iterations per classifier.", minimum=1)
    max_memory: int = option(
        512,
        "Memory for matches; more is sorted in temporary files. All matches of one source side are held in memory.",
        unit="MiB",
        minimum=1,
    )
    threads: int = option(0, "Threads; 0: one per core.", minimum=0, maximum=MOST_THREADS)


@dataclasses.dataclass(frozen=True)
class DwlOptions(Options):
    """The classifiers of the discriminative word lexicon (dwl).

    Examples
    --------
    >>> from graphmt.selection import DwlOptions
    >>> DwlOptions(classes=10)
    DwlOptions(classes=10)
    """

    context: str = option(
        "sentence",
        "What chooses the translation of a word. sentence: the words beside it, its head, and all the other words of "
        "the sentence; links: the words that it has links to in the graph of gbmt (those beside it, its head and its "
        "dependents), each with its part of speech.",
        choices=("sentence", "links"),
    )
    occurrences: float = option(
        10.0, "Minimum occurrences of a source word with a classifier; lower is slower and larger.", minimum=1
    )
    classes: int = option(
        20, "Maximum number of translations a classifier distinguishes; the rest form one class.", minimum=1
    )
    features: float = option(2.0, "Ignore context features seen less often with a source word.", minimum=0)
    variance: float = option(
        1.0, "Variance of the Gaussian prior on weights; smaller stays closer to relative frequencies.", minimum=1e-6
    )
    iterations: int = option(50, "Maximum number of L-BFGS iterations per classifier.", minimum=1)
    max_memory: int = option(
        512,
        "Memory for words in context; more is sorted in temporary files. All occurrences of one source word are held "
        "in memory.",
        unit="MiB",
        minimum=1,
    )
    threads: int = option(0, "Threads; 0: one per core.", minimum=0, maximum=MOST_THREADS)


@dataclasses.dataclass(frozen=True)
class OrderOptions(Options):
    """The classifiers of word order by dependencies (order).

    Examples
    --------
    >>> from graphmt.selection import OrderOptions
    >>> OrderOptions(variance=0.5)
    OrderOptions(variance=0.5)
    """

    occurrences: float = option(
        10.0, "Minimum occurrences of two linked parts of speech with a classifier; lower is less reliable.", minimum=1
    )
    features: float = option(2.0, "Ignore features seen less often with two linked parts of speech.", minimum=0)
    variance: float = option(
        1.0, "Variance of the Gaussian prior on weights; smaller stays closer to relative frequencies.", minimum=1e-6
    )
    iterations: int = option(50, "Maximum number of L-BFGS iterations per classifier.", minimum=1)
    max_memory: int = option(
        512,
        "Memory for linked words; more is sorted in temporary files. All pairs with the same parts of speech are held "
        "in memory.",
        unit="MiB",
        minimum=1,
    )
    threads: int = option(0, "Threads; 0: one per core.", minimum=0, maximum=MOST_THREADS)


@dataclasses.dataclass(frozen=True)
class TsmOptions(Options):
    """The topics of topic similarity (tsm).

    Examples
    --------
    >>> from graphmt.selection import TsmOptions
    >>> TsmOptions(topics=50)
    TsmOptions(topics=50)
    """

    topics: int = option(30, "Number of topics per side.", minimum=2, maximum=1000)
    document_length: int = option(
        10,
        "Sentences per document where no mark (# newdoc in CoNLL-U) precedes; 0: the whole file. Translation uses the "
        "same, unless [search] sets another.",
        unit="sentences",
        minimum=0,
    )
    iterations: int = option(200, "Gibbs sampling iterations.", minimum=1)
    most_frequent: int = option(50, "Ignore this many of the most frequent words.", minimum=0)
    seed: int = option(1, "Random seed of sampling.", minimum=0, maximum=2**32 - 1)
    max_memory: int = option(
        512,
        "Memory for counting rules; more is sorted in temporary files. 12 bytes per rule and about 30 per distinct "
        "topic profile are extra.",
        unit="MiB",
        minimum=1,
    )
    threads: int = option(0, "Threads of the second step; 0: one per core.", minimum=0, maximum=MOST_THREADS)


@dataclasses.dataclass(frozen=True)
class GmSearchOptions(Options):
    """Options of the search that collective lexical selection (gm) reads."""

    part: ClassVar[str] = "gm"

    gm_relatedness: str = option(
        "pmi",
        "How collective lexical selection (gm) measures the relatedness of two target words. pmi: pointwise mutual "
        "information; lm: the probability of one near the other; embeddings: the angle between their co-occurrence "
        "vectors (beyond the paper; for a model trained with dimensions in [gm]).",
        choices=("pmi", "lm", "embeddings"),
    )
    gm_reallocation: float = option(
        0.15,
        "λ of gm's random walk: lower values let target words support one another more; the paper uses 0.1 to 0.25.",
        minimum=0.01,
        maximum=0.99,
    )
    gm_prior: bool = option(
        False,
        "gm also weights support by how often the word is translated so (beyond the paper, where rare translations "
        "get as much support as frequent ones).",
    )
    gm_keep: bool = option(
        False,
        "In gm, translations without content words, which nothing can support, keep their probability, and the others "
        "share the rest (beyond the paper, where any content word beats them).",
    )


@dataclasses.dataclass(frozen=True)
class TsmSearchOptions(Options):
    """Options of the search that topic similarity (tsm) reads."""

    part: ClassVar[str] = "tsm"

    document_length: int = option(
        10,
        "Sentences per document for topic similarity (tsm) where no mark (# newdoc in CoNLL-U) precedes; 0: the whole "
        "file. Default: the value that tsm was trained with.",
        unit="sentences",
        minimum=0,
    )
