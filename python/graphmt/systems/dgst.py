"""Dependency graph-to-string translation (Li, Way and Liu 2015): synchronous edge replacement grammar."""

from graphmt.systems.base import CHART_FEATURES, Links, System
from graphmt.systems.grammars import FragmentRules

DGST = System(
    name="dgst",
    summary="fragments of the dependency graph with holes",
    links=Links(),
    grammar=FragmentRules(),
    features=CHART_FEATURES,
)
