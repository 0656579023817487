"""Glossaries: translations of terms that are required, preferred or forbidden."""

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
