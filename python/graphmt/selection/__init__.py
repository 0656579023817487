"""Lexical selection as features of any system: collective lexical selection, rule selection, a word
lexicon with context, topic similarity; and the order of linked words."""

from graphmt.selection.base import Corpus, DocumentReader, SelectionModel
from graphmt.selection.models import MODELS, selection_models
from graphmt.selection.options import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions

__all__ = [
    "MODELS",
    "Corpus",
    "DocumentReader",
    "DwlOptions",
    "GmOptions",
    "LrsmOptions",
    "OrderOptions",
    "SelectionModel",
    "TsmOptions",
    "selection_models",
]
