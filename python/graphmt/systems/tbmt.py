"""Treelet-based translation: subgraphs of the dependency tree, which may be discontinuous."""

from graphmt.systems.base import STANDARD_FEATURES, Links, System
from graphmt.systems.grammars import SubgraphRules

TBMT = System(
    name="tbmt",
    summary="treelets of the dependency tree",
    links=Links(dependency=True),
    grammar=SubgraphRules(),
    features={**STANDARD_FEATURES, "gap": 0.3},
)
