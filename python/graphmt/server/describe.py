"""Translations and derivations as JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from graphmt import _core
from graphmt.corpus import Tree
from graphmt.model import Derivation, Translation
from graphmt.server.work import Translated


def translation_json(one: Translation, *, derivation: bool, svg: bool) -> dict[str, Any]:
    """A translation, with its derivation as steps and as a picture if they are wanted."""
    made: dict[str, Any] = {
        "text": one.text,
        "tokens": one.tokens,
        "score": one.score,
        "features": one.features,
        "alignment": one.alignment,
        "repairs": one.repairs,
        "memory": dataclasses.asdict(one.memory) if one.memory else None,
    }
    if derivation:
        made["derivation"] = derivation_json(one.derivation)
    if svg:
        made["svg"] = one.derivation.picture(bigram_links=True).svg
    return made


def derivation_json(derivation: Derivation) -> dict[str, Any]:
    """The steps of a derivation; each has its rule as text and the places of its target words."""
    return {
        "source": derivation.source,
        "target": derivation.target,
        "heads": derivation.heads,
        "is_tree": derivation.is_tree,
        "steps": [
            {
                **step.as_dict(),
                "places": places,
                "span": derivation.covered(number),
                "rule": rule_text(derivation, number),
            }
            for number, (step, places) in enumerate(zip(derivation.steps, derivation.places, strict=True))
        ],
    }


def rule_text(derivation: Derivation, number: int) -> str:
    """A rule as text: ``bei [1] gearbeitet → worked for [1]``; ``…`` is a gap between words."""
    _core.point()
    step = derivation.steps[number]
    if derivation.is_tree:
        source, target = derivation.tree.written(number)
        return f"{source} → {target}"
    words = []
    for before, place in zip((None, *step.positions), step.positions, strict=False):
        if before is not None and place > before + 1:
            words.append("…")
        words.append(derivation.source[place])
    return f"{' '.join(words)} → {' '.join(step.target)}"


def source_json(prepared: Any, tree: Tree | None = None) -> dict[str, Any]:
    """The tokens of a source sentence with its tree; heads are positions from 0, -1 for the root."""
    heads = prepared.heads
    matches = tree is not None and len(tree.deprels) == len(prepared.surface)
    return {
        "tokens": prepared.surface,
        "heads": heads,
        "deprels": list(tree.deprels) if tree is not None and matches else [],
        "upos": prepared.tags,
    }


def sentence_json(text: str, one: Translated, *, derivation: bool, svg: bool) -> dict[str, Any]:
    """A sentence with its translations."""
    sure = one.confidence
    return {
        "text": text,
        "source": source_json(one.prepared),
        "translations": [translation_json(best, derivation=derivation, svg=svg) for best in one.translations],
        "confidence": None
        if sure is None
        else {"value": sure.value, "posterior": sure.posterior, "unknown": sure.unknown},
    }
