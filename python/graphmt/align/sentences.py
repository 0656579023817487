"""Validation of sentences for alignment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphmt.errors import InputError


def checked(sentences: Iterable[str], name: str = "the text") -> Iterator[str]:
    """The same sentences, which must be strings of tokens separated by spaces. ``name`` is for errors."""
    if isinstance(sentences, str):
        raise InputError(
            f"{name} is a string; a list of sentences was expected.", hint="For a single sentence: [sentence]."
        )
    for number, sentence in enumerate(sentences, 1):
        if not isinstance(sentence, str):
            raise InputError(
                f"sentence {number} of {name} is of type {type(sentence).__name__!r}; a string of tokens separated "
                "by spaces was expected.",
                hint='For a list of tokens: " ".join(tokens).',
            )
        yield sentence
