"""Dependency-to-string translation (Xie, Mi and Liu 2011), fragments decomposed (Li et al. 2014)."""

from graphmt.systems.base import CHART_FEATURES, Links, System
from graphmt.systems.grammars import HeadDependentRules

DEP2STR = System(
    name="dep2str",
    summary="heads with their dependents, bottom-up over the dependency tree",
    links=Links(),
    grammar=HeadDependentRules(),
    # Pseudo rules are a last resort and unlimited in number, so they must have a cost.
    features={**CHART_FEATURES, "glue": -0.3},
)
