"""Why a sentence was translated as it was, as JSON: steps, alternatives, runners-up, lexical selection, neighbours."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from graphmt import _core
from graphmt.explain import explain_some
from graphmt.model import FixedSpan, Model, Translation
from graphmt.model.model import Prepared, Sentence
from graphmt.selection.gm import GM
from graphmt.server.alternatives import RunnersUp, alternatives, differences, instead_of
from graphmt.server.describe import source_json, translation_json
from graphmt.server.refusals import Refused
from graphmt.server.served import OpenedModel
from graphmt.server.work import POSTERIOR_OF, Settings, confidence, configured, memory_beside

#: Derivations among which the runner-up of a step is looked for.
RUNNERS_UP_OF = 50


@dataclasses.dataclass(frozen=True)
class Question:
    """What is to be explained."""

    sentence: Sentence
    text: str
    fixed: Sequence[FixedSpan] = ()
    n_best: int = 5
    #: Alternatives of each span, and the only span for which they are wanted.
    alternatives: int = 0
    span: tuple[int, int] | None = None
    neighbours: int = 5


def explanation(opened: OpenedModel, question: Question, settings: Settings, max_words: int) -> dict[str, Any]:
    """Translate a sentence and explain the result."""
    free = configured(opened, settings)
    model = free.with_fixed({0: question.fixed}) if question.fixed else free
    [prepared] = model.prepare([question.sentence])
    if len(prepared) > max_words:
        raise Refused(422, f"the sentence has {len(prepared)} words; at most {max_words} are explained.")
    [tree] = model.trees([question.sentence])
    decoding = _decoding(opened, model, prepared, settings)
    [listed] = decoding.n_best_prepared([prepared], max(RUNNERS_UP_OF, question.n_best), distinct=True, threads=1)
    best = listed[0]
    others = [one for one in listed if one.tokens != best.tokens]
    sure = confidence(listed[:POSTERIOR_OF])
    match = None
    if (memory := memory_beside(opened, model, settings)) is not None:
        [match] = memory.find([question.sentence], threads=1)
    return {
        "model": opened.name,
        "version": opened.version,
        "system": model.described,
        "text": question.text,
        "source": source_json(prepared, tree),
        "links": _links(model, prepared),
        "weights": decoding.weights,
        "translation": {
            **translation_json(best, derivation=True, svg=True),
            **_steps(decoding, best, others),
        },
        "others": [
            translation_json(one, derivation=True, svg=False)
            for one in [one for one in listed if one.text != best.text][: question.n_best]
        ],
        "confidence": {"value": sure.value, "posterior": sure.posterior, "unknown": sure.unknown},
        "alternatives": alternatives(model, prepared, best, most=question.alternatives, span=question.span)
        if question.alternatives
        else [],
        "fixed": _fixed(opened, free, question, best, settings),
        "selection": _selection(free, question) if free.selection and settings.selection else None,
        "consensus": _consensus(opened, prepared, question, settings) if opened.has_consensus else None,
        "neighbours": _neighbours(opened, question) if opened.memory is not None and settings.memory else None,
        "memory": dataclasses.asdict(match) if match else None,
    }


def _decoding(opened: OpenedModel, model: Model, prepared: Prepared, settings: Settings) -> Model:
    """The model that translates a prepared sentence: with consensus, if it is asked for."""
    return opened.with_consensus([prepared], tokenised=settings.tokenised) if settings.consensus else model


def _links(model: Model, prepared: Any) -> list[tuple[int, int]]:
    """The links of the source graph that the system uses, as pairs of positions."""
    links = model.system.links
    if not (links.bigram or links.dependency):
        return []
    heads = prepared.heads or [-1] * len(prepared)
    found = _core.graph_links(heads, links.bigram, links.dependency and bool(prepared.heads))
    return [(int(a), int(b)) for a, b in found.reshape(-1, 2).tolist()]


def _steps(model: Model, best: Translation, others: Sequence[Translation]) -> dict[str, Any]:
    """The steps with their features, weighted sums and runners-up, and the features of the whole sentence."""
    weights = model.weights
    runners_up = RunnersUp(others)
    steps = []
    for number, step in enumerate(best.derivation.steps):
        _core.point()
        values = step.features
        other = runners_up.without(step) if step.positions else None
        steps.append(
            {
                "features": values,
                "score": sum(weights[name] * value for name, value in values.items()),
                "runner_up": None
                if other is None
                else {
                    "text": other.text,
                    "score": other.score,
                    "steps": instead_of(best, number, other),
                    "differences": differences(model, best, other),
                },
            }
        )
    return {
        "steps": steps,
        "sentence_features": best.sentence_features,
        "sentence_score": sum(weights[name] * value for name, value in best.sentence_features.items()),
    }


def _fixed(
    opened: OpenedModel, free: Model, question: Question, best: Translation, settings: Settings
) -> dict[str, Any] | None:
    """The translation without the fixed spans, and what they cost."""
    if not question.fixed:
        return None
    [prepared] = free.prepare([question.sentence])
    decoding = _decoding(opened, free, prepared, settings)
    [[without]] = decoding.n_best_prepared([prepared], 1, threads=1)
    return {
        "spans": [dataclasses.asdict(one) for one in question.fixed],
        "without": translation_json(without, derivation=True, svg=False),
        "differences": differences(decoding, best, without),
    }


def _selection(model: Model, question: Question) -> dict[str, Any]:
    """The translations with and without lexical selection, and its translation graphs."""
    [found] = explain_some(model, [question.sentence], [0], threads=1)
    return {
        "models": [one.name for one in model.selection],
        "features": {
            name: {"value": found.translation.features[name], "weight": model.weights[name]} for name in found.features
        },
        "with": found.translation.text,
        "without": found.without.text,
        "graphs": [
            {
                "words": [dataclasses.asdict(word) for word in graph.words],
                "edges": [{"first": a, "second": b, "weight": weight} for a, b, weight in graph.edges],
                "svg": graph.svg,
            }
            for graph in found.graphs
        ]
        if GM in model.selection
        else [],
    }


def _neighbours(opened: OpenedModel, question: Question) -> list[dict[str, Any]]:
    assert opened.memory is not None
    return [
        {"source": one.source, "target": one.target, "similarity": one.similarity}
        for one in opened.memory.similar(question.sentence, question.neighbours)
    ]


def _consensus(opened: OpenedModel, prepared: Prepared, question: Question, settings: Settings) -> dict[str, Any]:
    """The translation with consensus, and the sources of its memory that resemble the sentence."""
    decoder = opened.consensus()
    decoding = opened.with_consensus([prepared], tokenised=settings.tokenised)
    [[best]] = decoding.n_best_prepared([prepared], 1, threads=1)
    [near] = decoder.memory.neighbours([" ".join(prepared.words)], decoder.options.threshold, threads=1)
    closest = sorted(near, key=lambda one: (-one.similarity, one.source))[: question.neighbours]
    return {
        "text": best.text,
        "neighbours": [
            {
                "source": one.source,
                "similarity": one.similarity,
                "translations": [(each.text, each.probability) for each in one.translations],
            }
            for one in closest
        ],
    }
