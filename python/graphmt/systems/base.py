"""A system = a source graph + a grammar + a search + features."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from graphmt.systems.grammars import Grammar


@dataclasses.dataclass(frozen=True)
class Links:
    """Which links the source graph has (undirected, untyped)."""

    #: Between neighbouring words.
    bigram: bool = False
    #: Between a word and its head.
    dependency: bool = False


@dataclasses.dataclass(frozen=True)
class System:
    """One of the papers' systems."""

    name: str
    #: One line for help texts.
    summary: str
    links: Links
    grammar: Grammar
    #: The features that the system has, each with the weight it starts with before tuning.
    features: Mapping[str, float]

    @property
    def needs_trees(self) -> bool:
        """Whether source sentences must come with dependency trees."""
        return self.links.dependency or self.grammar.needs_trees

    @property
    def has_chart(self) -> bool:
        """Whether the search goes bottom-up over source spans rather than from left to right."""
        return self.grammar.has_chart


#: The features that every left-to-right system has. The values are a start that translates sensibly untuned:
#: Moses' defaults, with a gap costing what a jump of the same length costs.
STANDARD_FEATURES: Mapping[str, float] = {
    "p_source_given_target": 0.2,
    "lex_source_given_target": 0.2,
    "p_target_given_source": 0.2,
    "lex_target_given_source": 0.2,
    "lm": 0.5,
    "rule_penalty": 0.2,
    "word_penalty": -1.0,
    "distortion": 0.3,
    "unknown": 100.0,
}

#: The features of systems whose rules have holes: glue counts the parts joined without a rule, as rule_penalty counts
#: rules, and a tuned Moses gives it somewhat more.
CHART_FEATURES: Mapping[str, float] = {
    **{name: weight for name, weight in STANDARD_FEATURES.items() if name != "distortion"},
    "glue": 0.3,
}

#: What a rule pays for each node in which its context differs from what is there; only used with soft context.
CONTEXT_FEATURES: Mapping[str, float] = {"context_mismatch": 1.0}

#: Lexicalised reordering (msd-bidirectional-fe), an option of every left-to-right system.
REORDERING_FEATURES: Mapping[str, float] = {
    f"reorder_{side}_{orientation}": 0.3
    for side in ("previous", "next")
    for orientation in ("monotone", "swap", "other")
}
