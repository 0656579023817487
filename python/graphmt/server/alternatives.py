"""Other translations for the spans of a sentence, from the options of the search or from its chart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from graphmt import _core
from graphmt.model import Derivation, Model, SentenceOption, Step, Translation, n_best_with_options
from graphmt.model.charts import span_translations
from graphmt.model.layout import LM
from graphmt.model.model import Prepared
from graphmt.server.describe import rule_text


class Estimates:
    """Scores of options out of context, as the search estimates them: rule scores, penalties and language model."""

    def __init__(self, model: Model) -> None:
        self._weights = model.weights
        self._lm = _core.LanguageModel(model.folder / LM)

    def values(self, option: SentenceOption) -> dict[str, float]:
        """The features that an option has in any context."""
        made = {
            **option.scores,
            "lm": self._lm.phrase(" ".join(option.words)) if option.words else 0.0,
            "rule_penalty": 1.0,
            "word_penalty": -float(len(option.words)),
        }
        return {name: value for name, value in made.items() if name in self._weights}

    def score(self, values: dict[str, float]) -> float:
        """The weighted sum."""
        return sum(self._weights[name] * value for name, value in values.items())


def alternatives(
    model: Model,
    prepared: Prepared,
    best: Translation,
    *,
    most: int,
    span: tuple[int, int] | None = None,
) -> list[dict[str, Any]]:
    """The alternatives of every span, or of one, with the best first.

    Those of a chart are the translations of its cells; where a rule without holes has the same words, it is named.
    Left-to-right systems list their options, and also those with gaps, which cannot be fixed.
    """
    _, options = n_best_with_options(model, prepared, 1)
    estimates = Estimates(model)
    chosen = _chosen(best.derivation)
    found: dict[tuple[int, ...], dict[tuple[str, ...], dict[str, Any]]] = defaultdict(dict)
    for option in options if span is None else options.of_span(*span):
        _core.point()
        if option.holes or not option.positions or (option.copied and len(option.target) != 1):
            continue
        values = estimates.values(option)
        entry = {
            "target": option.words,
            "score": estimates.score(values),
            "rule": f"{_source(prepared, option.positions)} → {' '.join(option.words)}",
            "kind": "copy" if option.copied else "rule",
            "features": values,
        }
        known = found[option.positions].get(option.words)
        if known is None or known["score"] < entry["score"]:
            found[option.positions][option.words] = entry
    if model.system.has_chart and len(prepared) <= model.longest:
        [cells] = [span_translations(one) for one in model.decoder.spans([prepared], most=most, threads=1)]
        charted: dict[tuple[int, ...], dict[tuple[str, ...], dict[str, Any]]] = {}
        for cell in cells:
            positions = tuple(range(cell.first, cell.end))
            rules = found.get(positions, {})
            charted[positions] = {
                words: {
                    "target": words,
                    "score": score,
                    "rule": rules[words]["rule"] if words in rules else None,
                    "kind": rules[words]["kind"] if words in rules else "derivation",
                    "features": rules[words]["features"] if words in rules else {},
                }
                for words, score in cell.translations
            }
        found = charted
    made = []
    for positions, entries in sorted(found.items(), key=lambda one: (one[0][0], len(one[0]), one[0])):
        bounds = (positions[0], positions[-1] + 1)
        if span is not None and bounds != span:
            continue
        contiguous = bounds[1] - bounds[0] == len(positions)
        ranked = sorted(entries.values(), key=lambda one: -one["score"])[:most]
        used = chosen.get(positions)
        made.append(
            {
                "first": bounds[0],
                "end": bounds[1],
                "positions": positions,
                "fixable": contiguous,
                "options": [
                    {**one, "text": " ".join(one["target"]), "chosen": one["target"] == used} for one in ranked
                ],
            }
        )
    return made


def _chosen(derivation: Derivation) -> dict[tuple[int, ...], tuple[str, ...]]:
    """The target words of what a derivation uses as a whole: the words below each step, by the positions below it."""
    target = derivation.target
    chosen: dict[tuple[int, ...], tuple[str, ...]] = {}
    for number in range(len(derivation.steps)):
        below, positions, places = [number], list[int](), list[int]()
        while below:
            at = below.pop()
            positions += derivation.steps[at].positions
            places += derivation.places[at]
            below += derivation.steps[at].children
        chosen.setdefault(tuple(sorted(positions)), tuple(target[place] for place in sorted(places)))
    return chosen


def _source(prepared: Prepared, positions: Sequence[int]) -> str:
    words = []
    for before, place in zip((None, *positions), positions, strict=False):
        if before is not None and place > before + 1:
            words.append("…")
        words.append(prepared.surface[place])
    return " ".join(words)


class RunnersUp:
    """The other translations of a sentence, to find those that do without a rule.

    Parameters
    ----------
    others
        The translations, best first.
    """

    def __init__(self, others: Sequence[Translation]) -> None:
        self._others = [(one, {_rule(step) for step in one.derivation.steps}) for one in others]

    def without(self, step: Step) -> Translation | None:
        """The best one whose derivation does not use a step's rule at its place."""
        rule = _rule(step)
        return next((one for one, rules in self._others if rule not in rules), None)


def _rule(step: Step) -> tuple[object, ...]:
    """What tells a rule at its place from others."""
    return step.positions, step.target, step.context


def differences(model: Model, one: Translation, other: Translation) -> list[dict[str, Any]]:
    """Feature by feature, what one translation gains over another; the largest difference first."""
    rows = []
    for name, weight in model.weights.items():
        value, against = one.features.get(name, 0.0), other.features.get(name, 0.0)
        rows.append(
            {
                "feature": name,
                "weight": weight,
                "value": value,
                "other": against,
                "difference": weight * (value - against),
            }
        )
    return sorted(rows, key=lambda row: -abs(row["difference"]))


def instead_of(best: Translation, number: int, other: Translation) -> list[dict[str, Any]]:
    """The steps of another translation that cover the words of a step."""
    wanted = set(best.derivation.steps[number].positions)
    return [
        {
            "positions": step.positions,
            "target": step.target,
            "kind": step.kind,
            "rule": rule_text(other.derivation, k),
        }
        for k, step in enumerate(other.derivation.steps)
        if wanted & set(step.positions)
    ]
