"""What a chart knows of the parts of a sentence: translations of every span, and how a reference can be made."""

from __future__ import annotations

import dataclasses

from graphmt import _core
from graphmt.model.translation import Translation


@dataclasses.dataclass(frozen=True)
class SpanTranslations:
    """What a span of a source sentence may be translated with."""

    #: Its first word and the one after its last, counted from 0.
    first: int
    end: int
    #: Words and score, the best first; no two with the same words.
    translations: tuple[tuple[tuple[str, ...], float], ...]


@dataclasses.dataclass(frozen=True)
class Forced:
    """The outcome of forced decoding: only what is a substring of the reference was kept."""

    #: The best derivation of the reference; None where the rules cannot make it.
    translation: Translation | None
    #: What was found for spans on the way, whether or not the whole could be made.
    spans: tuple[SpanTranslations, ...]

    @property
    def reached(self) -> bool:
        """Whether the reference can be made."""
        return self.translation is not None


def span_translations(found: list[_core.SpanTranslations]) -> tuple[SpanTranslations, ...]:
    """What the core found for spans."""
    return tuple(
        SpanTranslations(span.first, span.end, tuple((tuple(one.words), one.score) for one in span.translations))
        for span in found
    )
