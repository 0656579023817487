"""The features of a translation, step by step: what each rule of a derivation adds to the score."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Sequence

from graphmt import _core
from graphmt.model.layout import LM
from graphmt.model.model import Model
from graphmt.model.sentence_options import SentenceOption
from graphmt.model.translation import Derivation, Step, Translation

#: Steps of a chart that join others and are not rules of the table.
_JOINS = ("glue", "pseudo", "straight", "inverted")
_LN_10 = math.log(10)


@dataclasses.dataclass(frozen=True)
class StepFeatures:
    """The features of a translation by step, and the rest, which depends on several steps.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.model import n_best_with_options
    >>> from graphmt.model.step_features import step_features
    >>> model = graphmt.load("pbmt")
    >>> [best], options = n_best_with_options(model, model.prepare(["Er schläft ."])[0], 1)
    >>> found = step_features(model, best, options)
    >>> [step["word_penalty"] for step in found.steps]
    [-3.0, -1.0]
    >>> round(found.sentence["word_penalty"], 4)
    0.0
    """

    #: The values of each step, in the order of the derivation.
    steps: tuple[dict[str, float], ...]
    #: The values of the translation minus those of its steps: distortion, reordering, the end of the sentence, …
    sentence: dict[str, float]


def step_features(model: Model, translation: Translation, options: Sequence[SentenceOption]) -> StepFeatures:
    """Divide the features of a translation among the steps of its derivation.

    The language model's share of a step is that of its words in the whole translation.

    Parameters
    ----------
    model
        The model.
    translation
        A translation of it.
    options
        The options of the sentence, of :func:`n_best_with_options`.

    Returns
    -------
    StepFeatures
        The values; together they add up to those of the translation.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.model import n_best_with_options
    >>> from graphmt.model.step_features import step_features
    >>> model = graphmt.load("hpb")
    >>> [best], options = n_best_with_options(model, model.prepare(["er schläft ."])[0], 1)
    >>> len(step_features(model, best, options).steps) == len(best.derivation.steps)
    True
    """
    derivation = translation.derivation
    known: dict[tuple[tuple[int, ...], tuple[str, ...]], list[SentenceOption]] = defaultdict(list)
    for one in options:
        known[one.positions, one.words].append(one)
    words = [
        word.log10 * _LN_10 for word in _language_model(model).full_scores(" ".join(derivation.target), True, True)
    ]
    steps = []
    for number, step in enumerate(derivation.steps):
        values = _own_values(model, step)
        option = _option_of(derivation, number, known[step.positions, step.target])
        if option is not None:
            values.update(option.scores)
        values["lm"] = sum((words[place] for place in derivation.places[number]), 0.0)
        steps.append({name: values[name] for name in model.weights if name in values})
    rest = {name: value - sum(step.get(name, 0.0) for step in steps) for name, value in translation.features.items()}
    return StepFeatures(tuple(steps), rest)


def _own_values(model: Model, step: Step) -> dict[str, float]:
    """The features that follow from a step alone."""
    joins, copy = step.kind in _JOINS, step.kind == "copy"
    is_rule = not joins and not (copy and model.system.has_chart)
    return {
        "word_penalty": -float(len(step.target)),
        "rule_penalty": float(is_rule),
        "unknown": -float(copy),
        "basic_rule": float(step.kind == "basic"),
        "glue": {"glue": float(len(step.children)), "pseudo": 1.0}.get(step.kind, 0.0),
    }


def _option_of(derivation: Derivation, number: int, found: Sequence[SentenceOption]) -> SentenceOption | None:
    """The option that a step applied, among those with its words."""
    step = derivation.steps[number]
    holes = sorted(map(derivation.covered, step.children))
    same = [
        one
        for one in found
        if one.context == step.context and len(one.holes) == len(holes) and sorted(one.holes) == holes
    ]
    return max(same or found, key=lambda one: sum(one.scores.values()), default=None)


def _language_model(model: Model) -> _core.LanguageModel:
    """The language model of a folder; its file is mapped, not read."""
    return _core.LanguageModel(model.folder / LM)
