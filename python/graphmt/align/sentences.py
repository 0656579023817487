"""What alignment takes as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphmt.errors import InputError


def checked(sentences: Iterable[str], name: str = "the text") -> Iterator[str]:
    """The same sentences, each a text with spaces between its tokens; anything else is refused. ``name``: in errors."""
    if isinstance(sentences, str):
        raise InputError(
            f"{name} is one text; a list of sentences was expected.", hint="For a single sentence: [sentence]."
        )
    for number, sentence in enumerate(sentences, 1):
        if not isinstance(sentence, str):
            raise InputError(
                f"sentence {number} of {name} is of the type {type(sentence).__name__!r}; a text with spaces between "
                "tokens was expected.",
                hint='For a list of tokens: " ".join(tokens).',
            )
        yield sentence
