"""Ablation of DGST's labels, structure and external nodes, scored on held-out halves of dev."""

from __future__ import annotations

from typing import Any

from graphmt.experiments.recipe import Arm, Claim, Recipe
from graphmt.experiments.recipes.hierarchical import CHART

#: Differences from the paper's extraction options, by arm.
CHANGES: dict[str, dict[str, Any]] = {
    "dgst": {},
    "no structure": {"structure": False},
    "labels ends": {"labels": "ends"},
    "labels none": {"labels": "none"},
    "neither": {"labels": "none", "structure": False},
    "3 external": {"max_external": 3},
    "no structure, 3 external": {"structure": False, "max_external": 3},
    "no structure, ends": {"structure": False, "labels": "ends"},
    "no structure, ends, 3 external": {"structure": False, "labels": "ends", "max_external": 3},
    "any span": {"structure": False, "any_span": True},
    "any span, 3 external": {"structure": False, "max_external": 3, "any_span": True},
    "any span, ends, 3 external": {"structure": False, "max_external": 3, "any_span": True, "labels": "ends"},
}

#: HPB's rules, with features of the labels of their holes.
LABELS_AS_FEATURES = Arm(
    "labels as features", "dgst", {**CHART, "contexts": "features"}, extract=CHANGES["any span, 3 external"]
)

#: The options of training, for a word lexicon over the links of the graph.
LINKS = {"dwl": {"context": "links"}}
_BEST = CHANGES["any span, ends, 3 external"]

#: HPB and the grammar of both with more of what the graph says: the order of linked words, and their translations.
INFORMED = (
    Arm("hpb+order", "hpb", CHART, selection=("order",)),
    Arm("any span+order", "dgst", CHART, extract=_BEST, selection=("order",)),
    Arm("hpb+links", "hpb", CHART, selection=("dwl",), training=LINKS),
    Arm("any span+links", "dgst", CHART, extract=_BEST, selection=("dwl",), training=LINKS),
)

GRAPH_TO_STRING_CHOICES = Recipe(
    name="graph-to-string-choices",
    summary="DGST with less of labels and structure, with larger fragments, and with rules over any span; by dev alone",
    paper="Dependency Graph-to-String Translation: where its gain over HPB comes from",
    arms=(
        Arm("hpb", "hpb", CHART),
        *(Arm(name, "dgst", CHART, extract=changed) for name, changed in CHANGES.items()),
        LABELS_AS_FEATURES,
        *INFORMED,
        Arm("dep2str", "dep2str", CHART),
        Arm("dep2str, general symbols counted", "dep2str", {**CHART, "count_general": True}),
    ),
    corpora=("multi30k-de-en", "3am-zh-en"),
    tuner="mira",
    seeds=1,
    movement=True,
    claims=(
        Claim("dgst", "hpb", {}),
        *(Claim(name, "dgst", {}) for name in CHANGES if name != "dgst"),
        Claim("any span, 3 external", "hpb", {}),
        Claim("any span, ends, 3 external", "hpb", {}),
        Claim(LABELS_AS_FEATURES.name, "hpb", {}),
        Claim(LABELS_AS_FEATURES.name, "any span, 3 external", {}),
        *(Claim(arm.name, "hpb", {}) for arm in INFORMED),
        Claim("any span+links", "hpb+links", {}),
        Claim("any span+order", "hpb+order", {}),
        Claim("dep2str", "hpb", {}),
        Claim("dep2str, general symbols counted", "hpb", {}),
        Claim("dep2str, general symbols counted", "dep2str", {}),
    ),
    part="held-out",
)
