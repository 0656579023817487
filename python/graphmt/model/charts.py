"""Contents of a chart: translations of every span, and forced decoding of references."""

from __future__ import annotations

import dataclasses

from graphmt import _core
from graphmt.model.translation import Translation


@dataclasses.dataclass(frozen=True)
class SpanTranslations:
    """The translations of a span of a source sentence."""

    #: Its first word and the one after its last, counted from 0.
    first: int
    end: int
    #: Words and score, best first, without duplicates.
    translations: tuple[tuple[tuple[str, ...], float], ...]


@dataclasses.dataclass(frozen=True)
class Forced:
    """The result of forced decoding, which keeps only substrings of the reference."""

    #: The best derivation of the reference; None if the rules cannot derive it.
    translation: Translation | None
    #: The translations of spans, whether or not the whole reference could be derived.
    spans: tuple[SpanTranslations, ...]

    @property
    def reached(self) -> bool:
        """Whether the reference can be derived."""
        return self.translation is not None


def span_translations(found: list[_core.SpanTranslations]) -> tuple[SpanTranslations, ...]:
    """The span translations that the core found."""
    return tuple(
        SpanTranslations(span.first, span.end, tuple((tuple(one.words), one.score) for one in span.translations))
        for span in found
    )
