"""Reading and preparing text: parallel files, trees, tokenising, casing, cleaning, parsing."""

from graphmt.corpus.catalogue import Catalogue, Message, read_catalogue
from graphmt.corpus.cleaning import CleanOptions, CleanReport, clean
from graphmt.corpus.conllu import MultiwordToken, Tree, read_sentences, read_trees, require_trees, write_trees
from graphmt.corpus.counting import CorpusStatistics, statistics
from graphmt.corpus.pairs import read_pairs
from graphmt.corpus.steps import TextOptions, TextSteps
from graphmt.corpus.text import is_conllu, plain_lines, tokenised, tokenised_chunks
from graphmt.corpus.tokenise import Tokeniser

__all__ = [
    "Catalogue",
    "CleanOptions",
    "CleanReport",
    "CorpusStatistics",
    "Message",
    "MultiwordToken",
    "TextOptions",
    "TextSteps",
    "Tokeniser",
    "Tree",
    "clean",
    "is_conllu",
    "plain_lines",
    "read_catalogue",
    "read_pairs",
    "read_sentences",
    "read_trees",
    "require_trees",
    "statistics",
    "tokenised",
    "tokenised_chunks",
    "write_trees",
]
