"""Dependency-to-string translation (Xie, Mi and Liu 2011), fragments decomposed (Li et al. 2014)."""

from graphmt.systems.base import CHART_FEATURES, Links, System
from graphmt.systems.grammars import HeadDependentRules

DEP2STR = System(
    name="dep2str",
    summary="heads with their dependents, bottom-up over the dependency tree",
    links=Links(),
    grammar=HeadDependentRules(),
    # A pseudo rule is a last resort, and its number is free, so it must cost something.
    features={**CHART_FEATURES, "glue": -0.3},
)
