"""The features of steps: what each rule adds, and together the score."""

from __future__ import annotations

import numpy as np
import pytest
from graphmt.model import Model, SentenceMemory, Translation, n_best_with_options
from small_models import Trained

SYSTEMS = ("pbmt", "tbmt", "gbmt", "gbmt-ctx", "hpb", "btg", "dgst", "dep2str")
#: Scores of rules, which steps share by words only.
SCORES = ("p_source_given_target", "lex_source_given_target", "p_target_given_source", "lex_target_given_source")


def require_sums(model: Model, found: Translation) -> None:
    steps = found.derivation.steps
    for name, value in found.features.items():
        parts = [step.features.get(name, 0.0) for step in steps]
        assert sum(parts) + found.sentence_features[name] == pytest.approx(value, abs=1e-3), name
    shown = sum(model.weights[name] * value for step in steps for name, value in step.features.items())
    rest = sum(model.weights[name] * value for name, value in found.sentence_features.items())
    assert shown + rest == pytest.approx(found.score, abs=1e-3)
    # What belongs to rules is found in their steps alone; the language model also scores the end of the sentence.
    for name in (*SCORES, "word_penalty", "rule_penalty", "unknown", "basic_rule", "glue", "gap", "distortion"):
        assert found.sentence_features.get(name, 0.0) == pytest.approx(0.0, abs=1e-4), name


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_features_of_steps_add_up_to_the_score(demo: Trained, name: str) -> None:
    model = demo.load(name)
    sentences = [*demo.trees()[:12]]
    if not model.needs_trees:
        sentences += ["das unbekannte Wort", "er er er", "!"]
    for best in model.n_best(sentences, 3, distinct=False):
        for found in best:
            require_sums(model, found)


def test_features_of_users_and_unknown_words(demo: Trained) -> None:
    model = demo.load("hpb").annotated(lambda options, words: np.ones(len(options.copied), np.float32), {"ones": 0.5})
    best = model.translate("das unbekannte Wort schläft .")
    require_sums(model, best)
    rules = [step for step in best.derivation.steps if step.kind in ("rule", "copy")]
    assert [step.features["ones"] for step in rules] == [1.0] * len(rules)
    copies = [step for step in rules if step.kind == "copy"]
    assert copies and all(step.features["unknown"] == -1 and step.features["rule_penalty"] == 1 for step in copies)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_scores_of_a_step_are_those_of_its_rule(demo: Trained, name: str) -> None:
    """Rules with the same words and other places of holes have scores of their own."""
    model, checked = demo.load(name), 0
    for tree in demo.trees()[:8]:
        [prepared] = model.prepare([tree])
        [best], options = n_best_with_options(model, prepared, 1)
        known = {(one.positions, one.words, one.context, one.holes, tuple(one.scores.values())) for one in options}
        known = {key[:2] + key[2:4] + (tuple(round(score, 4) for score in key[4]),) for key in known}
        for step in best.derivation.steps:
            if step.kind in ("basic", "selecting", "segmenting", "rule", "phrase"):
                holes = tuple(sorted(best.derivation.covered(child) for child in step.children))
                scores = tuple(round(step.features[score], 4) for score in SCORES)
                assert (step.positions, step.target, step.context, holes, scores) in known
                checked += 1
    assert checked > 10


def test_options_are_made_when_they_are_asked_for(demo: Trained) -> None:
    model = demo.load("gbmt-ctx")
    [prepared] = model.prepare(demo.trees()[:1])
    _, options = n_best_with_options(model, prepared, 1)
    everything = list(options)
    assert len(options) == len(everything) > 20
    assert [options[k] for k in range(len(options))] == everything and options[-1] == everything[-1]
    assert options[3:9] == everything[3:9] and options[5:5] == []
    with pytest.raises(IndexError):
        options[len(options)]
    for first in range(len(prepared)):
        for end in range(first + 1, len(prepared) + 1):
            same = [
                one
                for one in everything
                if one.positions and one.positions[0] == first and one.positions[-1] == end - 1
            ]
            assert options.of_span(first, end) == same


def test_a_memory_match_has_no_steps(demo: Trained) -> None:
    memory = SentenceMemory(demo.load("pbmt"), [("er schläft .", "He is asleep .")])
    [[taken]] = memory.translate(["er schläft ."], memory.model.prepare(["er schläft ."]), lambda rest: [])
    assert taken.sentence_features == {}
