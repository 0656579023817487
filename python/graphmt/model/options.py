"""Options of the search."""

from __future__ import annotations

import dataclasses

from graphmt.selection.options import GmSearchOptions, TsmSearchOptions
from graphmt.systems.search_options import (
    ContextualRules,
    ContextUse,
    GeneralCounts,
    LeftToRightSearch,
    Pruning,
    SpanLimit,
)


# The fields of the last class come first.
@dataclasses.dataclass(frozen=True)
class SearchOptions(
    TsmSearchOptions,
    GmSearchOptions,
    GeneralCounts,
    ContextUse,
    ContextualRules,
    SpanLimit,
    LeftToRightSearch,
    Pruning,
):
    """Pruning and limits of the search.

    Examples
    --------
    >>> from graphmt.model import SearchOptions
    >>> SearchOptions(pop_limit=500)
    SearchOptions(pop_limit=500)
    """
