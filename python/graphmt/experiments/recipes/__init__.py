"""The papers' tables, each declared as a recipe; :mod:`graphmt.experiments.runner` runs them."""

from __future__ import annotations

from graphmt.errors import OptionError
from graphmt.experiments.recipe import Recipe
from graphmt.experiments.recipes.consensus import CONSENSUS, CONSENSUS_LISTS
from graphmt.experiments.recipes.graph_to_string import GRAPH_TO_STRING, GRAPH_TO_STRING_SPANS
from graphmt.experiments.recipes.graph_to_string_choices import GRAPH_TO_STRING_CHOICES
from graphmt.experiments.recipes.hierarchical import HIERARCHICAL
from graphmt.experiments.recipes.lexical_selection import (
    LEXICAL_SELECTION,
    LEXICAL_SELECTION_SYSTEMS,
    LEXICAL_SELECTION_WALK,
)
from graphmt.experiments.recipes.segmentation import SEGMENTATION
from graphmt.experiments.recipes.segmentation_choices import SEGMENTATION_CHOICES
from graphmt.options import nearest

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
    """The recipe of a name; an unknown name raises an error that suggests the nearest one."""
    if name not in RECIPES:
        raise OptionError(f"unknown experiment {name!r}{nearest(name, RECIPES)}.")
    return RECIPES[name]
