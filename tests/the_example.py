"""The example of Li, Way and Liu (2017), "Context-Aware Graph Segmentation for Graph-Based Translation"."""

from __future__ import annotations

from naive_rules import Pair

_WORDS = ("2010Nian", "FIFA", "Shijiebei", "Zai", "Nanfei", "Chenggong", "Juxing")
#: Juxing (held) is the root; 2010Nian and FIFA hang on Shijiebei (World Cup), Nanfei (South Africa) on Zai (in).
_HEADS = (2, 2, 6, 6, 3, 6, -1)

EXAMPLE = Pair(
    _WORDS,
    _HEADS,
    ("2010", "FIFA", "World", "Cup", "was", "held", "successfully", "in", "South", "Africa"),
    frozenset({(0, 0), (1, 1), (2, 2), (2, 3), (6, 4), (6, 5), (5, 6), (3, 7), (4, 8), (4, 9)}),
)

#: The same sentence with another order on the target side: after "2010 FIFA" come words that are not linked to it.
TURNED = Pair(
    _WORDS,
    _HEADS,
    ("World", "Cup", "in", "South", "Africa", "2010", "FIFA", "successfully", "was", "held"),
    frozenset({(2, 0), (2, 1), (3, 2), (4, 3), (4, 4), (0, 5), (1, 6), (5, 7), (6, 8), (6, 9)}),
)
