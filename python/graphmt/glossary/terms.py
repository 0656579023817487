"""The entries of a glossary."""

from __future__ import annotations

import dataclasses

from graphmt.errors import InputError
from graphmt.reprs import counted

#: How a translation of a term may be used.
USES = ("required", "preferred", "forbidden")


@dataclasses.dataclass(frozen=True)
class Term:
    """A term and a translation of it.

    Examples
    --------
    >>> from graphmt.glossary import Term
    >>> Term("Drucker", "printer")
    Term(source='Drucker', target='printer', usage='required', line=None)
    """

    source: str
    target: str
    #: ``required``: the term has this translation, or another required one; ``preferred``: it competes with the rules
    #: of the model, with the feature ``glossary``; ``forbidden``: the term is not translated like this.
    usage: str = "required"
    #: The line in the file, for messages.
    line: int | None = None

    def __post_init__(self) -> None:
        if self.usage not in USES:
            raise InputError(f"the use of a term is {self.usage!r}; one of {', '.join(USES)} was expected.")
        if not self.source.strip() or not self.target.strip():
            raise InputError(f"the {'target' if self.source.strip() else 'source'} of a term is empty.")


@dataclasses.dataclass(frozen=True)
class Glossary:
    """Terms with their translations.

    A term may have several translations of any use.

    Examples
    --------
    >>> from graphmt.glossary import Glossary, Term
    >>> Glossary((Term("Drucker", "printer"),))
    Glossary(1 term)
    """

    terms: tuple[Term, ...]
    #: The name of the file, for messages.
    file: str | None = None

    def __repr__(self) -> str:
        return f"Glossary({counted(len(self.terms), 'term')})"
