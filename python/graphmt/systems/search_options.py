"""Options of the search, in one class for each part of a system that reads them."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from graphmt.options import Options, option


@dataclasses.dataclass(frozen=True)
class Pruning(Options):
    """Pruning of the search."""

    pop_limit: int = option(
        200,
        "Hypotheses created per stack, or per chart cell, in cube pruning, on average: later stacks, glue cells and "
        "long spans of btg get more than others. Higher finds better scores and takes proportionally longer.",
        minimum=1,
    )
    stack_size: int = option(200, "Hypotheses kept in a stack, or in a chart cell.", minimum=1, maximum=65535)
    beam_threshold: float = option(
        11.5,
        "Hypotheses this far (natural logarithm) below the best of their stack or cell are pruned; 11.5 is Moses' "
        "1e-5.",
        minimum=0,
    )
    table_limit: int = option(20, "Maximum number of translations tried per source side (and context).", minimum=1)


@dataclasses.dataclass(frozen=True)
class LeftToRightSearch(Options):
    """Left-to-right search."""

    part: ClassVar[str] = "left-to-right search"

    search: str = option(
        "cube",
        "How hypotheses are expanded. cube: best first, up to pop-limit per stack; stack: exhaustively.",
        choices=("cube", "stack"),
    )
    distortion_limit: int | None = option(
        6, "Longest jump between two rules in source positions; -1 allows any.", unit="words", minimum=-1
    )


@dataclasses.dataclass(frozen=True)
class SpanLimit(Options):
    """Spans of a chart."""

    part: ClassVar[str] = "chart of arbitrary spans"

    max_span: int = option(
        20,
        "Maximum number of source words covered by a rule (with its holes) or a block; longer spans are joined in "
        "source order. More allows longer reorderings; time grows at least quadratically.",
        unit="words",
        minimum=1,
        maximum=1000,
    )


@dataclasses.dataclass(frozen=True)
class ContextualRules(Options):
    """Contextual rules."""

    part: ClassVar[str] = "contextual rules"

    rule_kinds: str = option(
        "all",
        "Kinds of rules to use, for ablations.",
        choices=("all", "basic", "basic+segmenting", "basic+selecting"),
    )
    soft_context: bool = option(
        False,
        "Contextual rules apply in any context, at the cost of the feature context_mismatch (beyond the paper).",
    )


@dataclasses.dataclass(frozen=True)
class ContextUse(Options):
    """Contexts of rules."""

    part: ClassVar[str] = "rules with contexts"

    contexts: str = option(
        "rules",
        "How contexts are used. rules: contextual rules beside basic ones, as in the paper; features: every rule is "
        "basic, and its context adds the features context_gain and context_probability (beyond the paper). In dgst "
        "the labels of holes are the context.",
        choices=("rules", "features"),
    )


@dataclasses.dataclass(frozen=True)
class GeneralCounts(Options):
    """General rules of heads with their dependents."""

    part: ClassVar[str] = "rules of heads with their dependents"

    count_general: bool = option(
        False,
        "Also count the heads, leaves and subtrees that a rule knows only by their parts of speech, as three features "
        "(beyond the paper, where only probabilities tell general rules from those with words).",
    )
