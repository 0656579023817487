"""Corpora that Python code has at hand: lists, generators, tables and parsed sentences of other libraries.

Nothing here imports these libraries: their objects are recognised by what they have.
"""

from __future__ import annotations

from graphmt.corpus.given.files import is_data, is_path, require_path
from graphmt.corpus.given.pairs import GivenPairs, text_pairs
from graphmt.corpus.given.references import reference_streams
from graphmt.corpus.given.sentences import TARGET, given_sentence, given_sentences, given_texts, is_sentence

__all__ = [
    "TARGET",
    "GivenPairs",
    "given_sentence",
    "given_sentences",
    "given_texts",
    "is_data",
    "is_path",
    "is_sentence",
    "reference_streams",
    "require_path",
    "text_pairs",
]
