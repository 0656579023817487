"""Hierarchical phrase-based translation (Chiang 2007), with Moses' settings."""

from graphmt.systems.base import CHART_FEATURES, Links, System
from graphmt.systems.grammars import HierarchicalRules

HPB = System(
    name="hpb",
    summary="phrases with holes, filled by other phrases",
    links=Links(),
    grammar=HierarchicalRules(),
    features=CHART_FEATURES,
)
