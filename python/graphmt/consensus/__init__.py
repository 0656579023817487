"""Translation consensus (Liu et al. 2012): re-ranking n-best lists of any system, and decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.consensus.candidates import Candidates
    from graphmt.consensus.combination import MergedFile, merged
    from graphmt.consensus.decode_learning import learn_decoding, learn_decoding_files
    from graphmt.consensus.decode_options import ConsensusOptions
    from graphmt.consensus.decoding import ConsensusDecoder
    from graphmt.consensus.explanation import Explanation, NeighbourSupport, explain
    from graphmt.consensus.learning import learn
    from graphmt.consensus.memory import make_memory, read_memory
    from graphmt.consensus.ngram_explanation import NgramEvidence, SupportingPair
    from graphmt.consensus.options import RerankOptions
    from graphmt.consensus.plain_lists import Choice, DevSet, rerank
    from graphmt.consensus.reranker import Reranker
    from graphmt.consensus.run import Outputs, Summary, learn_files, rerank_files
    from graphmt.consensus.span_memory import (
        load_span_memory,
        make_span_memory,
        make_span_memory_files,
        save_span_memory,
    )
    from graphmt.nbest import NBestList, read_lists

__all__ = [
    "Candidates",
    "Choice",
    "ConsensusDecoder",
    "ConsensusOptions",
    "DevSet",
    "Explanation",
    "MergedFile",
    "NBestList",
    "NeighbourSupport",
    "NgramEvidence",
    "Outputs",
    "RerankOptions",
    "Reranker",
    "Summary",
    "SupportingPair",
    "explain",
    "learn",
    "learn_decoding",
    "learn_decoding_files",
    "learn_files",
    "load_span_memory",
    "make_memory",
    "make_span_memory",
    "make_span_memory_files",
    "merged",
    "read_lists",
    "read_memory",
    "rerank",
    "rerank_files",
    "save_span_memory",
]

__getattr__ = lazily(
    __name__,
    {
        "candidates": "Candidates",
        "combination": "MergedFile merged",
        "decode_learning": "learn_decoding learn_decoding_files",
        "decode_options": "ConsensusOptions",
        "decoding": "ConsensusDecoder",
        "explanation": "Explanation NeighbourSupport explain",
        "learning": "learn",
        "memory": "make_memory read_memory",
        "ngram_explanation": "NgramEvidence SupportingPair",
        "options": "RerankOptions",
        "plain_lists": "Choice DevSet rerank",
        "reranker": "Reranker",
        "run": "Outputs Summary learn_files rerank_files",
        "span_memory": "load_span_memory make_span_memory make_span_memory_files save_span_memory",
        "graphmt.nbest": "NBestList read_lists",
    },
)
