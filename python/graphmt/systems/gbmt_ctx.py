"""Graph-based translation with context-aware segmentation: rules that look at what is still untranslated."""

from graphmt.systems.base import STANDARD_FEATURES, Links, System
from graphmt.systems.grammars import SubgraphRules

GBMT_CTX = System(
    name="gbmt-ctx",
    summary="connected subgraphs with their links to what is still untranslated",
    links=Links(bigram=True, dependency=True),
    grammar=SubgraphRules(context=True),
    features={**STANDARD_FEATURES, "gap": 0.3, "basic_rule": 0.0},
)
