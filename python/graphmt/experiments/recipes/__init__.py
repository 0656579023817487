"""The papers' tables, each declared as a recipe; :mod:`graphmt.experiments.runner` runs them."""

from __future__ import annotations

from graphmt.errors import OptionError
from graphmt.experiments.recipe import Recipe
from graphmt.experiments.recipes.best import BEST, BEST_CHOICES
from graphmt.experiments.recipes.consensus import CONSENSUS, CONSENSUS_CHOICES, CONSENSUS_LISTS
from graphmt.experiments.recipes.graph_to_string import GRAPH_TO_STRING, GRAPH_TO_STRING_SPANS
from graphmt.experiments.recipes.graph_to_string_choices import GRAPH_TO_STRING_CHOICES
from graphmt.experiments.recipes.hierarchical import HIERARCHICAL
from graphmt.experiments.recipes.lexical_selection import (
    LEXICAL_SELECTION,
    LEXICAL_SELECTION_SYSTEMS,
    LEXICAL_SELECTION_WALK,
)
from graphmt.experiments.recipes.lexical_selection_choices import LEXICAL_SELECTION_CHOICES
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
        CONSENSUS_CHOICES,
        LEXICAL_SELECTION,
        LEXICAL_SELECTION_WALK,
        LEXICAL_SELECTION_SYSTEMS,
        LEXICAL_SELECTION_CHOICES,
        BEST,
        BEST_CHOICES,
    )
}


def recipe(name: str) -> Recipe:
    """Look up a recipe by its name.

    Parameters
    ----------
    name
        The name, as ``graphmt experiment --list`` prints it.

    Returns
    -------
    Recipe
        The recipe.

    Raises
    ------
    OptionError
        If there is none; the message suggests the nearest name.

    Examples
    --------
    >>> from graphmt.experiments import recipe
    >>> recipe("segmentation")
    Recipe('segmentation', 7 arms, corpora=('multi30k-de-en', '3am-zh-en', 'ted-zh-en'))
    """
    if name not in RECIPES:
        raise OptionError(f"unknown experiment {name!r}{nearest(name, RECIPES)}.")
    return RECIPES[name]
