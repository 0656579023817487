"""The papers' tables as recipes, and what runs them."""

from __future__ import annotations

from graphmt.errors import OptionError
from graphmt.experiments.consensus import CONSENSUS, CONSENSUS_LISTS
from graphmt.experiments.graph_to_string import GRAPH_TO_STRING, GRAPH_TO_STRING_SPANS
from graphmt.experiments.graph_to_string_choices import GRAPH_TO_STRING_CHOICES
from graphmt.experiments.hierarchical import HIERARCHICAL
from graphmt.experiments.lexical_selection import (
    LEXICAL_SELECTION,
    LEXICAL_SELECTION_SYSTEMS,
    LEXICAL_SELECTION_WALK,
)
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.recipe import Ablation, Arm, Claim, Recipe, RuleShares
from graphmt.experiments.runner import run
from graphmt.experiments.segmentation import SEGMENTATION
from graphmt.experiments.segmentation_choices import SEGMENTATION_CHOICES
from graphmt.options import nearest

__all__ = [
    "RECIPES",
    "Ablation",
    "Arm",
    "Claim",
    "ExperimentOptions",
    "Recipe",
    "RuleShares",
    "recipe",
    "run",
]

#: The experiments by name.
RECIPES: dict[str, Recipe] = {
    made.name: made
    for made in (
        SEGMENTATION,
        SEGMENTATION_CHOICES,
        HIERARCHICAL,
        GRAPH_TO_STRING,
        GRAPH_TO_STRING_SPANS,
        GRAPH_TO_STRING_CHOICES,
        CONSENSUS,
        CONSENSUS_LISTS,
        LEXICAL_SELECTION,
        LEXICAL_SELECTION_WALK,
        LEXICAL_SELECTION_SYSTEMS,
    )
}


def recipe(name: str) -> Recipe:
    """The recipe of a name; an unknown name is refused with the nearest one."""
    if name not in RECIPES:
        raise OptionError(f"there is no experiment {name!r}{nearest(name, RECIPES)}.")
    return RECIPES[name]
