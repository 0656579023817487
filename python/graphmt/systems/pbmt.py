"""Phrase-based translation (Koehn, Och and Marcu 2003)."""

from graphmt.systems.base import STANDARD_FEATURES, Links, System
from graphmt.systems.grammars import SubgraphRules

PBMT = System(
    name="pbmt",
    summary="continuous phrases",
    links=Links(bigram=True),
    grammar=SubgraphRules(),
    features=STANDARD_FEATURES,
)
