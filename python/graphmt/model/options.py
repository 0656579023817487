"""Options of the search."""

from __future__ import annotations

import dataclasses

from graphmt.options import Options, option
from graphmt.selection.options import SelectionSearchOptions


@dataclasses.dataclass(frozen=True)
class DecoderOptions(Options):
    """Options of the search that every model has."""

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


@dataclasses.dataclass(frozen=True)
class SearchOptions(SelectionSearchOptions, DecoderOptions):
    """How far the search for a translation looks."""

    soft_context: bool = option(
        False,
        "Contextual rules apply in any context, at the cost of the feature context_mismatch (beyond the paper).",
    )
