"""Whether a memory is of the language of the sources, or has its sides swapped, by the words they share."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence

from graphmt.consensus.candidates import comparable

log = logging.getLogger(__name__)

#: The least share of the words of the sources. The first 1,000 pairs of memories of the same language have 37 % of them
#: or more, also of another domain; those of other languages 11 % or less (German, English and Chinese, four corpora).
LEAST = 0.2
#: Sides are swapped if the target side has so much more. In the right direction it has less in all of these corpora.
MORE = 0.2

#: Words of letters, the same in raw and tokenised text; where words have no spaces between them, single characters.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+")


def warn_if_foreign(sources: Sequence[str], pairs: Sequence[tuple[str, str]]) -> None:
    """Warn if the first pairs of a memory have few of the words of the sources, or their target sides have more."""
    words = [word for source in sources for word in _words(source)]
    if not words or not pairs:
        return
    given, known = (_share(words, side) for side in zip(*pairs, strict=True))
    first = f"the first {len(pairs):,} pairs" if len(pairs) > 1 else "the first pair"
    if known >= given + MORE:
        log.warning(
            f"Of the words of the source, the source side of the memory has {given:.0%} and its target side "
            f"{known:.0%} ({first}): it seems to be of the reverse direction. Swap its sides."
        )
    elif given < LEAST:
        log.warning(
            f"The source side of the memory has only {given:.0%} of the words of the source ({first}). Is it of "
            "another language or domain?"
        )


def _share(words: Sequence[str], texts: Iterable[str]) -> float:
    known = {word for text in texts for word in _words(text)}
    return sum(word in known for word in words) / len(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(comparable(text).lower())
