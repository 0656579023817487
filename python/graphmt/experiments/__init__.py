"""The papers' tables as recipes, and the runner that reproduces them."""

from __future__ import annotations

from graphmt.experiments.features import Feature
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.recipe import Ablation, Arm, Claim, Recipe, RuleShares
from graphmt.experiments.recipes import RECIPES, recipe
from graphmt.experiments.runner import run

__all__ = [
    "RECIPES",
    "Ablation",
    "Arm",
    "Claim",
    "ExperimentOptions",
    "Feature",
    "Recipe",
    "RuleShares",
    "recipe",
    "run",
]
