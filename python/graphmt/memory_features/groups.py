"""The groups of features and their columns."""

from __future__ import annotations

from collections.abc import Collection

from graphmt.evidence import FEATURES
from graphmt.memory_features.lexicon import LEXICON_FEATURES

#: The columns of each group.
GROUPS: dict[str, tuple[str, ...]] = {
    "memory": FEATURES,
    "lm": ("memory-lm",),
    "lexicon": LEXICON_FEATURES,
}
#: The number of words: every group grows with it.
WORDS = "memory-words"


def column_names(groups: Collection[str]) -> tuple[str, ...]:
    """The columns of some groups, with the number of words; none without groups."""
    names = tuple(name for group, columns in GROUPS.items() if group in groups for name in columns)
    return (*names, WORDS) if names else ()
