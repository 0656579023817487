"""Features that a Python function adds to the options of a sentence; the example is that of the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from graphmt.errors import GraphmtError

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-feature.md"


def same_length():
    """The function of the first Python example of the page."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    assert found is not None
    scope: dict[str, object] = {}
    exec(found[1].partition("\nmodel = ")[0], scope)
    return scope["same_length"]


def equal_steps(best) -> int:
    return sum(len(step.positions) == len(step.target) for step in best.derivation.steps)


@pytest.mark.parametrize("name", ["pbmt", "gbmt-ctx"])
def test_the_example_of_the_documentation(demo, name) -> None:
    model = demo.load(name)
    sentences = demo.trees()[:15] if model.system.needs_trees else demo.texts()[:15]
    plain = model.translate(sentences)

    without = model.annotated(same_length(), {"same_length": 0.0}).translate(sentences)
    for a, b in zip(without, plain, strict=True):
        assert (a.tokens, a.derivation.steps) == (b.tokens, b.derivation.steps)
        assert a.score == pytest.approx(b.score, abs=1e-4)
        # The value is there, only its weight is nothing.
        assert a.features["same_length"] == equal_steps(a)

    strong = model.annotated(same_length(), {"same_length": 5.0}).translate(sentences)
    assert sum(map(equal_steps, strong)) > sum(map(equal_steps, plain))
    for best in strong:
        assert best.features["same_length"] == equal_steps(best)
    # The model itself is as it was.
    assert model.translate(sentences) == plain


def test_annotations_are_the_same_for_any_number_of_threads(demo) -> None:
    model = demo.load("gbmt-ctx").annotated(same_length(), {"same_length": 1.0})
    assert model.n_best(demo.trees()[:10], 3, threads=1) == model.n_best(demo.trees()[:10], 3, threads=4)


def test_the_columns_tell_all_of_an_option(demo) -> None:
    model = demo.load("gbmt-ctx")
    tree = demo.trees()[0]
    seen = []

    def look(options, words):
        seen.append((options, words))
        return np.zeros((len(options.copied), 2))

    model.annotated(look, {"one": 1.0, "two": 1.0}).translate(tree)
    ((options, words),) = seen
    n = len(options.copied)
    assert words == [word.lower() for word in tree.tokens]
    assert options.scores.shape == (n, 4) and (options.scores <= 0).all()
    for offsets, column in (
        (options.position_offsets, options.positions),
        (options.target_offsets, options.target),
        (options.alignment_offsets, options.alignment_source),
        (options.alignment_offsets, options.alignment_target),
    ):
        assert offsets[0] == 0 and offsets[-1] == len(column) and len(offsets) == n + 1
        assert (np.diff(offsets) >= 0).all()
    assert set(options.positions) == set(range(len(words)))
    # -1: a basic rule; 0: a selecting one; else a bit for each node of a segmenting one.
    assert {-1, 0} < set(options.context)
    first = slice(*options.target_offsets[:2])
    assert all(model._decoder.target_words([int(word) for word in options.target[first]]))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda options: np.zeros((3, 1)), "3 rows for"),
        (lambda options: np.zeros((len(options.copied), 2)), "2 columns"),
        (lambda options: np.zeros((len(options.copied), 1, 1)), "annotation failed"),
        (lambda options: ["a"] * len(options.copied), "annotation failed.*could not convert"),
        (lambda options: 1 / 0, "annotation failed.*division by zero"),
        (lambda options: np.full(len(options.copied), np.nan), "not a finite number"),
    ],
)
def test_answers_that_cannot_be_used(demo, answer, message) -> None:
    model = demo.load("pbmt").annotated(lambda options, words: answer(options), {"x": 1.0})
    with pytest.raises(GraphmtError, match=message):
        model.translate(demo.texts()[0])
