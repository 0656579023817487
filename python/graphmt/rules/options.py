"""Options of rule extraction and scoring."""

from __future__ import annotations

import dataclasses

from graphmt.systems.extract_options import (
    ContextScope,
    DiscontinuousRules,
    FragmentLimits,
    HeadRules,
    HoleLimits,
    Msd,
    PhraseLimits,
    RuleCounting,
    Smoothing,
    SubgraphSpan,
)


# The fields of the last class come first.
@dataclasses.dataclass(frozen=True)
class ExtractOptions(
    RuleCounting,
    Msd,
    Smoothing,
    HeadRules,
    FragmentLimits,
    HoleLimits,
    ContextScope,
    DiscontinuousRules,
    SubgraphSpan,
    PhraseLimits,
):
    """Which rules are extracted from an aligned corpus.

    Examples
    --------
    >>> from graphmt.rules import ExtractOptions
    >>> ExtractOptions(max_source=5, max_target=5)
    ExtractOptions(max_source=5, max_target=5)
    """
