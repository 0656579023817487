"""Lexical selection as features of any system: collective lexical selection, rule selection, a word
lexicon with context, topic similarity; and the order of linked words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
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

__getattr__ = lazily(
    __name__,
    {
        "base": "Corpus DocumentReader SelectionModel",
        "models": "MODELS selection_models",
        "options": "DwlOptions GmOptions LrsmOptions OrderOptions TsmOptions",
    },
)
