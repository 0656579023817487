"""HPB with models of lexical selection beside rule selection, scored on held-out halves of dev."""

from __future__ import annotations

from graphmt.experiments.recipe import Arm, Claim, Recipe
from graphmt.experiments.recipes.hierarchical import CHART

LEXICAL_SELECTION_CHOICES = Recipe(
    name="lexical-selection-choices",
    summary="HPB with rule selection, a discriminative word lexicon, both, and topic similarity; by dev alone",
    paper="Graph-Based Collective Lexical Selection for Statistical Machine Translation: beyond it",
    arms=(
        Arm("hpb", "hpb", CHART),
        Arm("hpb+lrsm", "hpb", CHART, selection=("lrsm",)),
        Arm("hpb+dwl", "hpb", CHART, selection=("dwl",)),
        Arm("hpb+lrsm+dwl", "hpb", CHART, selection=("lrsm", "dwl")),
        Arm("hpb+tsm", "hpb", CHART, selection=("tsm",)),
    ),
    corpora=("multi30k-de-en", "tatoeba-de-en", "3am-zh-en"),
    tuner="mira",
    seeds=3,
    claims=(
        Claim("hpb+lrsm", "hpb", {}),
        Claim("hpb+dwl", "hpb", {}),
        Claim("hpb+lrsm+dwl", "hpb+lrsm", {}),
        Claim("hpb+tsm", "hpb", {}),
    ),
    part="held-out",
)
