"""Glossaries: translations of terms that are required, preferred or forbidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmt.exports import lazily

if TYPE_CHECKING:
    from graphmt.glossary.checking import contradicted
    from graphmt.glossary.matching import SentenceTerm, TermMatcher
    from graphmt.glossary.reading import read_glossary
    from graphmt.glossary.terms import USES, Glossary, Term
    from graphmt.glossary.xml_input import XML_INPUT, MarkedText, read_markup

__all__ = [
    "USES",
    "XML_INPUT",
    "Glossary",
    "MarkedText",
    "SentenceTerm",
    "Term",
    "TermMatcher",
    "contradicted",
    "read_glossary",
    "read_markup",
]

__getattr__ = lazily(
    __name__,
    {
        "checking": "contradicted",
        "matching": "SentenceTerm TermMatcher",
        "reading": "read_glossary",
        "terms": "USES Glossary Term",
        "xml_input": "XML_INPUT MarkedText read_markup",
    },
)
