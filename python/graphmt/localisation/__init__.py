"""Localisation files: their untranslated units are filled, and everything else stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.localisation.document import Document, Edit, Unit
    from graphmt.localisation.formats import is_document, read_document
    from graphmt.localisation.messages import Message
    from graphmt.localisation.translate import DocumentReport, translate_document

__all__ = [
    "Document",
    "DocumentReport",
    "Edit",
    "Message",
    "Unit",
    "is_document",
    "read_document",
    "translate_document",
]

__getattr__ = lazily(
    __name__,
    {
        "document": "Document Edit Unit",
        "formats": "is_document read_document",
        "messages": "Message",
        "translate": "DocumentReport translate_document",
    },
)
