"""Translation consensus (Liu et al. 2012): re-ranking n-best lists of any system with a translation memory."""

from graphmt.consensus.candidates import Candidates
from graphmt.consensus.explanation import Explanation, Voice, explain
from graphmt.consensus.learning import learn
from graphmt.consensus.memory import make_memory, read_memory
from graphmt.consensus.nbest import NBestList, read_lists
from graphmt.consensus.options import RerankOptions
from graphmt.consensus.reranker import Reranker
from graphmt.consensus.run import Choice, Outputs, Summary, learn_files, rerank, rerank_files

__all__ = [
    "Candidates",
    "Choice",
    "Explanation",
    "NBestList",
    "Outputs",
    "RerankOptions",
    "Reranker",
    "Summary",
    "Voice",
    "explain",
    "learn",
    "learn_files",
    "make_memory",
    "read_lists",
    "read_memory",
    "rerank",
    "rerank_files",
]
