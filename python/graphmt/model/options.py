"""Options of the search."""

from __future__ import annotations

import dataclasses

from graphmt.options import Options, option


@dataclasses.dataclass(frozen=True)
class SearchOptions(Options):
    """How far the search for a translation looks."""

    search: str = option(
        "cube",
        "How hypotheses are made. cube: the most promising first, up to pop-limit for a stack; stack: all of them.",
        choices=("cube", "stack"),
    )
    pop_limit: int = option(
        300,
        "Hypotheses made for a stack, or for a cell of a chart, in cube pruning; more find better scores, time grows "
        "with it.",
        minimum=1,
    )
    stack_size: int = option(200, "Hypotheses kept in a stack, or in a cell of a chart.", minimum=1, maximum=65535)
    max_span: int = option(
        20,
        "Most source words that a rule covers, holes included, or a block; longer stretches are joined in source order "
        "(hpb, btg, dgst). More allow longer reorderings; time grows with the square and more.",
        unit="words",
        minimum=1,
        maximum=1000,
    )
    beam_threshold: float = option(
        11.5,
        "Hypotheses this far (natural logarithm) below the best of their stack or cell are dropped; 11.5 is Moses' "
        "1e-5.",
        minimum=0,
    )
    distortion_limit: int | None = option(
        6, "Longest jump between two rules in source positions; -1 allows any.", unit="words", minimum=-1
    )
    table_limit: int = option(20, "Most translations of a source side (and context) that are tried.", minimum=1)
    rule_kinds: str = option(
        "all",
        "Which kinds of rules of the table are used (gbmt-ctx): for finding out what each kind is worth.",
        choices=("all", "basic", "basic+segmenting", "basic+selecting"),
    )
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
    document_length: int = option(
        10,
        "Sentences that topic similarity (tsm) takes for a document where there is no mark (# newdoc in CoNLL-U) "
        "before; 0: all of a file. The default is what tsm was trained with.",
        unit="sentences",
        minimum=0,
    )
    soft_context: bool = option(
        False,
        "Contextual rules apply in any context, at the cost of the feature context_mismatch (beyond the paper).",
    )
