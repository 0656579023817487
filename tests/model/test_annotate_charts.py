"""Features that a Python function adds, wherever a chart is filled: translations, spans, forced decoding."""

from __future__ import annotations

import numpy as np
import pytest
from graphmt.errors import GraphmtError
from graphmt.lm import LmOptions
from graphmt.model import Model
from graphmt.training import TrainOptions, train


@pytest.fixture(scope="module")
def hpb(demo, tmp_path_factory) -> Model:
    out = tmp_path_factory.mktemp("annotated") / "hpb"
    files = {"source": demo.source, "target": demo.target, "alignment": demo.alignment}
    return train("hpb", **files, out=out, options=TrainOptions(lm=LmOptions(order=2)))


def ones(options, words):
    return np.ones(len(options.copied))


def by_words(model: Model, text: str) -> dict[tuple[int, int], dict[tuple[str, ...], float]]:
    (spans,) = model.spans([text], threads=1)
    return {(one.first, one.end): dict(one.translations) for one in spans}


def test_spans_have_the_values_of_an_annotation(demo, hpb) -> None:
    """A translation of one word uses one rule, so that a feature of 1 for each rule adds its weight."""
    text = demo.texts()[0]
    plain, weighted = (by_words(hpb.annotated(ones, {"one": weight}), text) for weight in (0.0, -2.5))
    assert plain == by_words(hpb, text)
    single = [span for span in plain if span[1] - span[0] == 1]
    assert single
    for span in single:
        for words, score in plain[span].items():
            assert weighted[span][words] == pytest.approx(score - 2.5, abs=1e-4)


def test_forced_decoding_has_the_values_of_an_annotation(demo, hpb) -> None:
    texts = demo.texts()[:8]
    references = [" ".join(best.tokens) for best in hpb.translate(texts)]
    plain = hpb.forced(texts, references)
    model = hpb.annotated(ones, {"one": -2.5})
    rules = []
    for before, now in zip(plain, model.forced(texts, references, threads=2), strict=True):
        assert before.translation is not None and now.translation is not None
        made = now.translation
        used = [step for step in made.derivation.steps if step.kind != "glue"]
        assert made.features["one"] == len(used)
        assert made.score == pytest.approx(sum(model.weights[name] * made.features[name] for name in model.weights))
        # It is the best for its own weights: the derivation found without them is not better.
        others = [step for step in before.translation.derivation.steps if step.kind != "glue"]
        assert made.score >= before.translation.score - 2.5 * len(others) - 1e-3
        rules.append((len(others), len(used)))
    # Each costs 2.5 now, so some sentence is translated with fewer, and none with more.
    assert all(now <= before for before, now in rules) and any(now < before for before, now in rules)


def test_an_annotation_that_fails_ends_them_with_a_sentence(demo, hpb) -> None:
    wrong = hpb.annotated(lambda options, words: np.ones((1, 3)), {"one": 1.0})
    for ask in (lambda: wrong.spans(demo.texts()[:1]), lambda: wrong.forced(demo.texts()[:1], ["a"])):
        with pytest.raises(GraphmtError, match=r"annotation failed: .*1 rows for"):
            ask()


def test_an_annotation_without_columns_adds_nothing(demo, hpb) -> None:
    """It may look at the options and no more."""
    seen = []

    def look(options, words):
        seen.append(len(words))
        return np.ones((len(options.copied), 0))

    texts = demo.texts()[:3]
    for model in (hpb, demo.load("pbmt")):
        assert model.annotated(look, {}).translate(texts, threads=1) == model.translate(texts)
    assert len(seen) == 6
