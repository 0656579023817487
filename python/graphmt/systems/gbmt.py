"""Graph-based translation (Li, Way and Liu 2016): any connected subgraph."""

from graphmt.systems.base import STANDARD_FEATURES, Links, System
from graphmt.systems.grammars import SubgraphRules

GBMT = System(
    name="gbmt",
    summary="connected subgraphs of tree and word order",
    links=Links(bigram=True, dependency=True),
    grammar=SubgraphRules(),
    features={**STANDARD_FEATURES, "gap": 0.3},
)
