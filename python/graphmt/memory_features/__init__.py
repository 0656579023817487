"""Features of translation candidates from a translation memory.

Three groups: ``memory``, the n-gram posteriors of :mod:`graphmt.evidence`; ``lm``, a language model of the target side;
``lexicon``, lexical translation probabilities from a word alignment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.memory_features.columns import FittedFeatures
    from graphmt.memory_features.groups import GROUPS, column_names
    from graphmt.memory_features.lexicon import LexicalScorer, Lexicon
    from graphmt.memory_features.pairs import MemoryPairs
    from graphmt.memory_features.resources import GivenFiles, MemoryResources, OpenedFiles, make_resources

__all__ = [
    "GROUPS",
    "FittedFeatures",
    "GivenFiles",
    "LexicalScorer",
    "Lexicon",
    "MemoryPairs",
    "MemoryResources",
    "OpenedFiles",
    "column_names",
    "make_resources",
]

__getattr__ = lazily(
    __name__,
    {
        "columns": "FittedFeatures",
        "groups": "GROUPS column_names",
        "lexicon": "LexicalScorer Lexicon",
        "pairs": "MemoryPairs",
        "resources": "GivenFiles MemoryResources OpenedFiles make_resources",
    },
)
