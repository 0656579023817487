"""References: one list of texts, or streams of several as sacreBLEU takes them."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

from graphmt.corpus.given.kinds import is_frame, is_rows, items_of
from graphmt.corpus.given.sentences import TARGET, given_texts, is_sentence
from graphmt.errors import InputError
from graphmt.reprs import counted


def reference_streams(
    given: Any, sentences: int | None, name: str = "the references", *, language: str | None = None
) -> list[list[str]]:
    """A list of texts for each reference, from one or several.

    Lists of the references of each sentence are refused, if it is known how many ``sentences`` there are.
    """
    streams = _streams(given, name, language)
    lengths = {len(stream) for stream in streams}
    if sentences is not None and len(streams) == sentences > 1 and lengths != {sentences} and len(lengths) == 1:
        texts = counted(len(streams[0]), "text")
        raise InputError(
            f"{len(streams)} lists of {texts} for {sentences} sentences; a list for each reference was expected, with "
            "a text for each sentence.",
            file=name,
            hint="Exchange rows and columns: list(zip(*references)).",
        )
    return streams


def _streams(given: Any, name: str, language: str | None) -> list[list[str]]:
    if is_frame(given) or is_rows(given):
        return [list(given_texts(given, name, side=TARGET, language=language))]
    items = items_of(given, name, "texts, or a list of texts for each reference, were")
    first = list(islice(items, 1))
    whole = chain(first, items)
    if not first or not _is_stream(first[0]):
        return [list(given_texts(whole, name, side=TARGET, language=language))]
    return [
        list(given_texts(stream, f"reference {number} of {name}", side=TARGET, language=language))
        for number, stream in enumerate(whole, 1)
    ]


def _is_stream(given: Any) -> bool:
    return not is_sentence(given) and not hasattr(given, "keys") and hasattr(given, "__iter__")
