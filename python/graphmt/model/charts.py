"""Contents of a chart: translations of every span, and forced decoding of references."""

from __future__ import annotations

import dataclasses

from graphmt import _core
from graphmt.model.translation import Translation
from graphmt.reprs import counted, shortened


@dataclasses.dataclass(frozen=True)
class SpanTranslations:
    """The translations of a span of a source sentence.

    Examples
    --------
    >>> import graphmt
    >>> [spans] = graphmt.load("hpb").spans(["er schläft ."], most=1)
    >>> spans[0].first, spans[0].end, len(spans[0].translations)
    (0, 1, 1)
    """

    #: Its first word and the one after its last, counted from 0.
    first: int
    end: int
    #: Words and score, best first, without duplicates.
    translations: tuple[tuple[tuple[str, ...], float], ...]

    def __repr__(self) -> str:
        best = f", best {shortened(' '.join(self.translations[0][0]))!r}" if self.translations else ""
        return f"SpanTranslations({self.first}, {self.end}, {counted(len(self.translations), 'translation')}{best})"


@dataclasses.dataclass(frozen=True)
class Forced:
    """The result of forced decoding, which keeps only substrings of the reference.

    Examples
    --------
    >>> import graphmt
    >>> [found] = graphmt.load("hpb").forced(["er schläft ."], ["no such words"])
    >>> found.reached
    False
    """

    #: The best derivation of the reference; None if the rules cannot derive it.
    translation: Translation | None
    #: The translations of spans, whether or not the whole reference could be derived.
    spans: tuple[SpanTranslations, ...]

    def __repr__(self) -> str:
        return f"Forced({self.translation!r}, {counted(len(self.spans), 'span')})"

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
