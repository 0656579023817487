"""Language codes as files write them: ``de``, ``de-DE``, ``de_DE``."""

from __future__ import annotations


def language_code(written: str) -> str:
    """A code in one spelling: ``de-at`` for ``de_AT``."""
    return written.lower().replace("_", "-")


def base_language(written: str) -> str:
    """The language of a code, without its region: ``de`` for ``de_AT``."""
    return language_code(written).split("-")[0]
