"""Memory n-gram posteriors: re-ranking features from a translation memory.

For every n-gram of a candidate, predict the probability that the reference contains it, from memory pairs that share
source n-grams with the input, from the nearest memory pairs, and from the list itself. The sums of these probabilities
over the n-grams of a candidate are features to tune beside those of the system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.evidence.index import make_index
    from graphmt.evidence.lists import CandidatePlace, SentenceLists
    from graphmt.evidence.options import EvidenceOptions
    from graphmt.evidence.posteriors import FEATURES, NgramPosteriors
    from graphmt.evidence.vectors import MemoryVectors, nearest_by_cosine, read_vectors

__all__ = [
    "FEATURES",
    "CandidatePlace",
    "EvidenceOptions",
    "MemoryVectors",
    "NgramPosteriors",
    "SentenceLists",
    "make_index",
    "nearest_by_cosine",
    "read_vectors",
]

__getattr__ = lazily(
    __name__,
    {
        "index": "make_index",
        "lists": "CandidatePlace SentenceLists",
        "options": "EvidenceOptions",
        "posteriors": "FEATURES NgramPosteriors",
        "vectors": "MemoryVectors nearest_by_cosine read_vectors",
    },
)
