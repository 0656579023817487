"""Bracketing transduction grammar with maximum-entropy reordering (Wu 1997; Xiong, Liu and Lin 2006)."""

from graphmt.systems.base import STANDARD_FEATURES, Links, System
from graphmt.systems.grammars import Blocks

BTG = System(
    name="btg",
    summary="phrases merged straight or inverted, two neighbours at a time",
    links=Links(bigram=True),
    grammar=Blocks(),
    features={**STANDARD_FEATURES, "distortion": 0.1, "orientation": 0.3},
)
