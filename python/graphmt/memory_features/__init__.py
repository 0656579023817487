"""Features of translation candidates from a translation memory.

Three groups: ``memory``, the n-gram posteriors of :mod:`graphmt.evidence`; ``lm``, a language model of the target side;
``lexicon``, lexical translation probabilities from a word alignment.
"""

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
