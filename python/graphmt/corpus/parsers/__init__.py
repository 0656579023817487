"""Parsers: trees from raw or tokenised text."""

from graphmt.corpus.parsers.base import Parser
from graphmt.corpus.parsers.files import parse_file, parsed_corpus, protects_parsed, segmenter_of
from graphmt.corpus.parsers.opening import PARSERS, ParseOptions, open_parser, split_name
from graphmt.corpus.parsers.running import parse_lines

__all__ = [
    "PARSERS",
    "ParseOptions",
    "Parser",
    "open_parser",
    "parse_file",
    "parse_lines",
    "parsed_corpus",
    "protects_parsed",
    "segmenter_of",
    "split_name",
]
