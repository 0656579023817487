"""Lemmas of words, by the package simplemma."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from graphmt.errors import MissingPackageError

log = logging.getLogger(__name__)

#: Returns the lemma of each word.
Lemmatiser = Callable[[Sequence[str]], list[str]]


def require_lemmas() -> Any:
    """Import simplemma, or raise an error that says how to install it."""
    try:
        import simplemma
    except ModuleNotFoundError:
        raise MissingPackageError(
            "lemmas need the package simplemma.",
            hint="Install it: pip install 'graphmt[selection]'; or count on forms: lemmas = false in [gm].",
        ) from None
    return simplemma


def lemmatiser(language: str, *, lower: bool) -> Lemmatiser:
    """The lemmatiser of a language; words stay unchanged in unsupported languages.

    ``lower``: lemmas in lower case, for text in lower case.
    """
    simplemma = require_lemmas()
    try:
        simplemma.lemmatize("x", lang=language)
    except ValueError:
        log.warning(f"No lemmas for {language!r}: using word forms.")
        return list

    def lemmas(words: Sequence[str]) -> list[str]:
        found = (simplemma.lemmatize(word, lang=language) for word in words)
        return [lemma.lower() for lemma in found] if lower else list(found)

    return lemmas
