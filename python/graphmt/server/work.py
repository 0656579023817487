"""Translation of the sentences of a request, as units for the scheduler."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from graphmt.corpus import Tree
from graphmt.glossary import Glossary
from graphmt.model import FixedSpan, Model, SentenceMemory, Translation
from graphmt.model.model import Prepared, Sentence
from graphmt.protect.items import KIND_OF
from graphmt.reprs import counted
from graphmt.server.options import ServeOptions
from graphmt.server.refusals import Refused
from graphmt.server.scheduler import Scheduler
from graphmt.server.served import OpenedModel

#: Translations of a sentence over which a posterior is computed.
POSTERIOR_OF = 50
#: Characters of a text for each word that a sentence may have: huge ones are refused before they are split.
CHARACTERS = 50
#: Characters of a text that is read and split at once; longer ones wait for a thread.
SHORT = 5000

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Settings:
    """How the sentences of a request are to be translated."""

    n_best: int = 1
    distinct: bool = True
    glossary: Glossary | None = None
    selection: bool = True
    consensus: bool = False
    memory: bool = True
    confidence: bool = False
    fixed: Mapping[int, Sequence[FixedSpan]] = dataclasses.field(default_factory=dict)
    #: The input consists of tokens or trees, not of raw text.
    tokenised: bool = False
    #: Groups of text to protect even if the model was trained without.
    protect: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Confidence:
    """How sure the model is of a translation; relative, not calibrated."""

    #: The share of the best translation in the probability of the best distinct ones.
    posterior: float
    #: The share of source words that were copied because no rule has them.
    unknown: float

    @property
    def value(self) -> float:
        """Posterior times the share of known words."""
        return self.posterior * (1 - self.unknown)


@dataclasses.dataclass(frozen=True)
class Translated:
    """A sentence with its translations."""

    prepared: Prepared
    translations: list[Translation]
    confidence: Confidence | None = None


class Work:
    """The work of one request, which has to be done in the time that the options give it from now on.

    Parameters
    ----------
    scheduler
        The threads.
    options
        The limits.
    """

    def __init__(self, scheduler: Scheduler, options: ServeOptions) -> None:
        self.scheduler, self.options = scheduler, options
        self._deadline = time.monotonic() + options.timeout

    async def run(self, units: Sequence[Callable[[], T]]) -> list[T]:
        """The results of units of work, in order."""
        return await self.scheduler.run(units, self._left)

    @property
    def _left(self) -> float:
        """The time that is left, in seconds."""
        return max(0.0, self._deadline - time.monotonic())

    async def do(self, unit: Callable[[], T], size: int) -> T:
        """The result of one unit about a text of some size; what is quick is done at once."""
        if size <= SHORT:
            return unit()
        return (await self.run([unit]))[0]

    async def translate(
        self, opened: OpenedModel, sentences: Sequence[Sentence], settings: Settings
    ) -> list[Translated]:
        """The translations of each sentence."""
        return await self.run(await self._units(opened, sentences, settings))

    async def translate_then(
        self,
        opened: OpenedModel,
        sentences: Sequence[Sentence],
        settings: Settings,
        then: Callable[[list[Translated]], T],
    ) -> T:
        """What ``then`` makes of the translations, in a thread of the scheduler."""
        return await self.scheduler.run_then(await self._units(opened, sentences, settings), then, self._left)

    async def _units(
        self, opened: OpenedModel, sentences: Sequence[Sentence], settings: Settings
    ) -> list[Callable[[], Translated]]:
        """The translation of each sentence as a unit of work."""
        await self.do(lambda: self.require_fit(opened, sentences, settings), size_of(sentences))
        if not sentences:
            return []
        if not (settings.consensus or opened.model.sees_documents):
            if settings.glossary is None:
                model = configured(opened, settings)
            else:
                [model] = await self.run([lambda: configured(opened, settings)])
            return [self._unit(opened, model, one, settings, k) for k, one in enumerate(sentences)]

        # Consensus and topics look at all sentences of a request together: that is one unit, the search many.
        def prepare() -> tuple[Model, Model, list[Prepared]]:
            plain = configured(opened, settings)
            model = plain.with_fixed(settings.fixed) if settings.fixed else plain
            made = model.prepare(sentences)
            self._require_short(made)
            if settings.consensus:
                model = opened.with_consensus(made, tokenised=settings.tokenised)
            return plain, model, made

        [(plain, model, prepared)] = await self.run([prepare])

        def search(place: int, text: Sentence, one: Prepared) -> Callable[[], Translated]:
            own = _with_fixed(plain, settings, place)
            return lambda: _translated(memory_beside(opened, own, settings), model, text, one, settings)

        return [search(place, *pair) for place, pair in enumerate(zip(sentences, prepared, strict=True))]

    def _unit(
        self, opened: OpenedModel, model: Model, sentence: Sentence, settings: Settings, place: int
    ) -> Callable[[], Translated]:
        def unit() -> Translated:
            own = _with_fixed(model, settings, place)
            [prepared] = own.prepare([sentence])
            self._require_short([prepared])
            return _translated(memory_beside(opened, own, settings), own, sentence, prepared, settings)

        return unit

    def require_fit(self, opened: OpenedModel, sentences: Sequence[Sentence], settings: Settings) -> None:
        """Refuse what exceeds the limits, before any work is done."""
        limits = self.options
        if len(sentences) > limits.max_sentences:
            raise Refused(
                422,
                f"{len(sentences)} sentences; at most {limits.max_sentences} are translated at a time.",
                hint="Send several requests.",
            )
        if settings.n_best > limits.max_n_best:
            raise Refused(422, f"at most {limits.max_n_best} translations of a sentence may be asked for.")
        for number, one in enumerate(sentences, 1):
            words = len(one.forms) if isinstance(one, Tree) else len(one.split())
            # Text without spaces is counted after it was split; this only keeps huge sentences from that.
            if words > limits.max_words:
                raise self._too_long(number, words)
            if isinstance(one, str) and len(one) > CHARACTERS * limits.max_words:
                raise self._too_long(number, len(one), "character", CHARACTERS)
        if opened.needs_conllu and any(isinstance(one, str) for one in sentences):
            raise Refused(
                422,
                f"the model {opened.name} translates trees and has no parser.",
                hint="Send CoNLL-U (field conllu), or start the server with --parser.",
            )

    def _require_short(self, prepared: Sequence[Prepared]) -> None:
        for number, one in enumerate(prepared, 1):
            if len(one) > self.options.max_words:
                raise self._too_long(number, len(one))

    def _too_long(self, number: int, size: int, unit: str = "word", each: int = 1) -> Refused:
        return Refused(
            422,
            f"sentence {number} has {counted(size, unit)}; at most {each * self.options.max_words:,} are translated.",
            hint="Split it into shorter ones.",
        )


def size_of(text: str | Sequence[Sentence]) -> int:
    """The characters of a text or of sentences, and the words of trees."""
    return len(text) if isinstance(text, str) else sum([len(one) for one in text])


def configured(opened: OpenedModel, settings: Settings) -> Model:
    """The model as a request wants it, except for fixed spans; its files are shared."""
    model = opened.variant(tokenised=settings.tokenised, protect=settings.protect, selection=settings.selection)
    return model if settings.glossary is None else model.with_glossary(settings.glossary)


def _with_fixed(model: Model, settings: Settings, place: int) -> Model:
    """The model for one sentence of a request alone, whose fixed spans are those of its first sentence."""
    fixed = settings.fixed.get(place)
    return model.with_fixed({0: fixed}) if fixed else model


def memory_beside(opened: OpenedModel, model: Model, settings: Settings) -> SentenceMemory | None:
    """The translation memory beside a model with the glossary and the fixed spans of one sentence, if it is used."""
    return opened.memory.with_model(model) if opened.memory is not None and settings.memory else None


def _translated(
    memory: SentenceMemory | None, model: Model, sentence: Sentence, prepared: Prepared, settings: Settings
) -> Translated:
    wanted = max(settings.n_best, POSTERIOR_OF) if settings.confidence else settings.n_best
    distinct = wanted > 1 and (settings.distinct or settings.confidence)

    def n_best(rest: list[Prepared]) -> list[list[Translation]]:
        return model.n_best_prepared(rest, wanted, distinct=distinct, threads=1)

    if memory is None:
        [found] = n_best([prepared])
    else:
        [found] = memory.translate([sentence], [prepared], n_best, threads=1)
    sure = confidence(found) if settings.confidence else None
    if settings.confidence and settings.n_best == 1:
        # The best one of a list may need a repair that another one avoids, as when only the best is asked for.
        taken = found[0].memory is not None and found[0].memory.taken
        if not taken and found[0].repairs:
            [best] = model.n_best_prepared([prepared], 1, threads=1)
            found = [dataclasses.replace(best[0], memory=found[0].memory)]
    return Translated(prepared, found[: settings.n_best], sure)


def confidence(found: Sequence[Translation]) -> Confidence:
    """The confidence of the first of some distinct translations."""
    best = found[0]
    if best.memory is not None and best.memory.taken:
        return Confidence(1.0, 0.0)
    total = sum(math.exp(min(0.0, one.score - best.score)) for one in found)
    words = len(best.derivation.source)
    copied = sum(
        step.kind == "copy" and not all(word in KIND_OF for word in step.target) for step in best.derivation.steps
    )
    return Confidence(1 / total, copied / words if words else 0.0)
