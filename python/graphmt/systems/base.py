"""A system = a source graph + a grammar + a search + features."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from graphmt.systems.extract_options import Msd
from graphmt.systems.grammars import Declared, Grammar, HeadDependentRules


@dataclasses.dataclass(frozen=True)
class Links:
    """Which links the source graph has (undirected, untyped).

    Examples
    --------
    >>> from graphmt.systems import system
    >>> system("gbmt").links
    Links(bigram=True, dependency=True)
    """

    #: Between neighbouring words.
    bigram: bool = False
    #: Between a word and its head.
    dependency: bool = False


@dataclasses.dataclass(frozen=True)
class System:
    """One of the papers' systems.

    Examples
    --------
    >>> from graphmt.systems import system
    >>> system("gbmt").needs_trees, system("pbmt").needs_trees
    (True, False)
    """

    name: str
    #: One line for help texts.
    summary: str
    links: Links
    grammar: Grammar
    #: The system's features, each with its initial weight.
    features: Mapping[str, float]

    @property
    def needs_trees(self) -> bool:
        """Whether source sentences need dependency trees."""
        return self.links.dependency or self.grammar.needs_trees

    @property
    def has_chart(self) -> bool:
        """Whether the search goes bottom-up over source spans rather than from left to right."""
        return self.grammar.has_chart

    @property
    def extract_options(self) -> Declared:
        """What it reads of the options of extraction: the classes that declare them."""
        return self.grammar.extract_options(self.links)

    def search_options(self, extract: Mapping[str, Any]) -> Declared:
        """What it reads of the options of the search, if its rules were extracted with these options."""
        switched = self.grammar.switched_search_options.items()
        return (*self.grammar.search_options, *(one for name, more in switched if extract.get(name) for one in more))


#: The features of every left-to-right system. The initial weights give sensible untuned translations: Moses' defaults,
#: with a gap costing as much as a jump of the same length.
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

#: What a chart of fragments and other spans counts: rules over fragments, and holes that are fragments; only used with
#: rules over any span.
FRAGMENT_FEATURES: Mapping[str, float] = {"fragment": 0.0, "fragment_holes": 0.0}

#: The number of holes with labels; only used with rules over any span where labels are part of rules.
LABEL_FEATURES: Mapping[str, float] = {"labelled_holes": 0.0}

#: The cost of each node in which a rule's context differs from the actual one; only used with soft context.
SOFT_CONTEXT_FEATURES: Mapping[str, float] = {"context_mismatch": 1.0}

#: The numbers of heads, leaves and subtrees that rules of heads with dependents know only by their parts of speech;
#: only used where these are counted.
GENERAL_FEATURES: Mapping[str, float] = {"general_heads": 0.0, "general_leaves": 0.0, "general_subtrees": 0.0}

#: What the context of a rule adds; only used where contexts are features.
CONTEXT_VALUE_FEATURES: Mapping[str, float] = {"context_gain": 0.2, "context_probability": 0.1}

#: Lexicalised reordering (msd-bidirectional-fe), an option of every left-to-right system. Models of btg that were
#: trained with this option once have weights for them, which never had an effect.
REORDERING_FEATURES: Mapping[str, float] = {
    f"reorder_{side}_{orientation}": 0.3
    for side in ("previous", "next")
    for orientation in ("monotone", "swap", "other")
}


def search_features(grammar: Grammar, extract: Mapping[str, Any]) -> dict[str, float]:
    """The features that some search options add to those of a system, each with its initial weight.

    The labels of holes are the contexts of rules over any span.
    """
    if isinstance(grammar, HeadDependentRules):
        return {**GENERAL_FEATURES}
    if grammar.context:
        return {**SOFT_CONTEXT_FEATURES, **CONTEXT_VALUE_FEATURES}
    return {**LABEL_FEATURES, **CONTEXT_VALUE_FEATURES} if extract.get("any_span") else {}


def unused_features(contexts: str, *, soft_context: bool, count_general: bool) -> set[str]:
    """Which of these the search options of the same names leave out."""
    unused = {*(LABEL_FEATURES if contexts == "features" else CONTEXT_VALUE_FEATURES)}
    unused |= {*(() if soft_context else SOFT_CONTEXT_FEATURES)}
    return unused | {*(() if count_general else GENERAL_FEATURES)}


def option_features(chosen: System, extract: Mapping[str, Any]) -> dict[str, float]:
    """The features that options of extraction add to those of a system, each with its initial weight."""
    added: dict[str, float] = {}
    if extract.get("reordering") and Msd in chosen.extract_options:
        added.update(REORDERING_FEATURES)
    if extract.get("any_span"):
        added.update(FRAGMENT_FEATURES)
    return added
