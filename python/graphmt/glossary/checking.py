"""Whether a translation that did not come from the search follows a glossary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from graphmt.glossary.matching import SentenceTerm


def contradicted(terms: Sequence[SentenceTerm], target: Sequence[str]) -> SentenceTerm | None:
    """Find the first term of a sentence that a translation contradicts.

    A required term is contradicted if the translation has none of its required translations; a forbidden one if the
    translation has it outside the required ones. Case does not matter, because sentences begin with a capital.

    Parameters
    ----------
    terms
        The terms of the sentence, as :meth:`TermMatcher.find` returns them.
    target
        The tokens of the translation.

    Returns
    -------
    SentenceTerm or None
        The term; None if the translation follows all of them.

    Examples
    --------
    >>> from graphmt.glossary import SentenceTerm, contradicted
    >>> printer = SentenceTerm(0, 1, ("printer",), ("printer",), ((0, 0),))
    >>> contradicted([printer], ["Printer", "off"]) is None
    True
    >>> contradicted([printer], ["press", "off"]).target
    ('printer',)
    """
    words = [word.lower() for word in target]
    required: dict[tuple[int, int], list[SentenceTerm]] = defaultdict(list)
    for term in terms:
        if term.usage == "required":
            required[term.first, term.end].append(term)
    own: set[int] = set()
    for same in required.values():
        places = {place for term in same for place in _places(term, words)}
        if not places:
            return same[0]
        own |= places
    forbidden = (term for term in terms if term.usage == "forbidden")
    return next((term for term in forbidden if not _places(term, words) <= own), None)


def _places(term: SentenceTerm, words: Sequence[str]) -> set[int]:
    """The places of words that belong to an occurrence of a term's translation."""
    wanted = [word.lower() for word in term.target]
    starts = (at for at in range(len(words) - len(wanted) + 1) if words[at : at + len(wanted)] == wanted)
    return {place for at in starts for place in range(at, at + len(wanted))}
