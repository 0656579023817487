"""Reading and preparing text: parallel files, trees, tokenising, casing, cleaning, parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.corpus.catalogue import Catalogue, Message, read_catalogue
    from graphmt.corpus.cleaning import CleanOptions, CleanReport, clean
    from graphmt.corpus.conllu import MultiwordToken, Tree, read_sentences, read_trees, require_trees, write_trees
    from graphmt.corpus.counting import CorpusStatistics, statistics
    from graphmt.corpus.pairs import read_pairs
    from graphmt.corpus.parsers.base import Parser
    from graphmt.corpus.parsers.evaluation import ParserScores, evaluate_parser
    from graphmt.corpus.parsers.files import parse_file
    from graphmt.corpus.parsers.opening import ParseOptions, open_parser
    from graphmt.corpus.parsers.udpipe_training import ParserOptions, train_parser
    from graphmt.corpus.portions import head, sample, split
    from graphmt.corpus.raw_text import TextKind, kind_of_files, kind_of_text
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
    "ParseOptions",
    "Parser",
    "ParserOptions",
    "ParserScores",
    "TextKind",
    "TextOptions",
    "TextSteps",
    "Tokeniser",
    "Tree",
    "clean",
    "evaluate_parser",
    "head",
    "is_conllu",
    "kind_of_files",
    "kind_of_text",
    "open_parser",
    "parse_file",
    "plain_lines",
    "read_catalogue",
    "read_pairs",
    "read_sentences",
    "read_trees",
    "require_trees",
    "sample",
    "split",
    "statistics",
    "tokenised",
    "tokenised_chunks",
    "train_parser",
    "write_trees",
]

__getattr__ = lazily(
    __name__,
    {
        "catalogue": "Catalogue Message read_catalogue",
        "cleaning": "CleanOptions CleanReport clean",
        "conllu": "MultiwordToken Tree read_sentences read_trees require_trees write_trees",
        "counting": "CorpusStatistics statistics",
        "pairs": "read_pairs",
        "parsers.base": "Parser",
        "parsers.evaluation": "ParserScores evaluate_parser",
        "parsers.files": "parse_file",
        "parsers.opening": "ParseOptions open_parser",
        "parsers.udpipe_training": "ParserOptions train_parser",
        "portions": "head sample split",
        "raw_text": "TextKind kind_of_files kind_of_text",
        "steps": "TextOptions TextSteps",
        "text": "is_conllu plain_lines tokenised tokenised_chunks",
        "tokenise": "Tokeniser",
    },
)
