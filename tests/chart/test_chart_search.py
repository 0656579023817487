"""The chart against plain enumeration, on small grammars without limits."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from amounts import examples
from graphmt import _core
from graphmt.errors import InputError
from graphmt.lm import LanguageModel
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_models import Trained

from .grammars import MOST, WEIGHTS, WORDS, Enumeration, Rule, grammars, table, unlimited


class Chart:
    """A decoder of a grammar, and the enumeration beside it."""

    def __init__(self, grammar: list[Rule], lm: LanguageModel, folder: Path, **limits: Any) -> None:
        vector = [WEIGHTS.get(name, 0.0) for name in _core.FEATURES]
        self.decoder = _core.Decoder.chart(table(grammar, folder), lm.path, vector, unlimited(**limits))

    def best(self, sentence: list[str], n: int = 1, *, distinct: bool = False) -> list[_core.Hypothesis]:
        return self.decoder.translate([_core.Sentence(sentence)], n_best=n, distinct=distinct, threads=1)[0]


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)


@settings(max_examples=examples(150))
@given(grammars(), sentences)
def test_k_best_is_the_enumeration(lm: LanguageModel, folder: Path, grammar: list[Rule], sentence: list[str]) -> None:
    """Without limits the k-best list holds every derivation, best first, each with its true score."""
    every = Enumeration(grammar, sentence).whole()
    assume(len(every) <= MOST)
    scores = sorted((found.score(WEIGHTS, lm) for found in every), reverse=True)
    chart = Chart(grammar, lm, folder)
    listed = chart.best(sentence, MOST + 1)
    assert [one.score for one in listed] == pytest.approx(scores, abs=1e-3)
    (only,) = chart.best(sentence)
    assert only.score == pytest.approx(scores[0], abs=1e-3)

    texts: dict[tuple[str, ...], float] = {}
    for found in every:
        texts[found.words] = max(texts.get(found.words, -math.inf), found.score(WEIGHTS, lm))
    distinct = chart.best(sentence, MOST + 1, distinct=True)
    assert {tuple(one.tokens): pytest.approx(one.score, abs=1e-3) for one in distinct} == texts
    assert len(distinct) == len(texts)


@settings(max_examples=examples(60))
@given(grammars(), sentences, st.integers(1, 3))
def test_long_spans_are_left_to_glue(
    lm: LanguageModel, folder: Path, grammar: list[Rule], sentence: list[str], span: int
) -> None:
    """Nothing but glue covers more words than ``max_span``."""
    every = Enumeration(grammar, sentence, span).whole()
    assume(len(every) <= MOST)
    listed = Chart(grammar, lm, folder, max_span=span).best(sentence, MOST + 1)
    scores = sorted((found.score(WEIGHTS, lm) for found in every), reverse=True)
    assert [one.score for one in listed] == pytest.approx(scores, abs=1e-3)


@settings(max_examples=examples(60))
@given(grammars(), sentences)
def test_the_hypergraph_holds_every_derivation(
    lm: LanguageModel, folder: Path, grammar: list[Rule], sentence: list[str]
) -> None:
    """Derivations counted bottom-up over the hyperedges, and their best score, are those of the enumeration."""
    every = Enumeration(grammar, sentence).whole()
    assume(len(every) <= MOST)
    (graph,) = Chart(grammar, lm, folder).decoder.search_graphs([_core.Sentence(sentence)], threads=1)
    edges = [json.loads(line) for line in graph.splitlines()]
    counts: dict[int, int] = {}
    best: dict[int, float] = {}
    for edge in reversed(edges):
        paths = math.prod(counts[tail] for tail in edge["tails"])
        score = edge["score"] + sum(best[tail] for tail in edge["tails"])
        counts[edge["node"]] = counts.get(edge["node"], 0) + paths
        best[edge["node"]] = max(best.get(edge["node"], -math.inf), score)
    goal = edges[0]["node"]
    assert counts[goal] == len(every)
    assert best[goal] == pytest.approx(max(found.score(WEIGHTS, lm) for found in every), abs=1e-3)


@settings(max_examples=examples(100))
@given(grammars(), sentences, st.data())
def test_forced_decoding(
    lm: LanguageModel, folder: Path, grammar: list[Rule], sentence: list[str], data: st.DataObject
) -> None:
    """A reference is reached exactly if some derivation has its words; cells hold substrings of it and no others."""
    enumeration = Enumeration(grammar, sentence)
    every = enumeration.whole()
    assume(len(every) <= MOST)
    words = sorted({found.words for found in every})
    other = st.lists(st.sampled_from("ABCD" + WORDS), max_size=5).map(tuple)
    reference = data.draw(st.one_of(st.sampled_from(words), other))
    chart = Chart(grammar, lm, folder)
    (forced,) = chart.decoder.forced([_core.Sentence(sentence)], [list(reference)], most=1000, threads=1)
    made = forced.hypothesis
    reached = [found.score(WEIGHTS, lm) for found in every if found.words == reference]
    assert (made is not None) == bool(reached)
    if made is not None:
        assert tuple(made.tokens) == reference
        assert made.score == pytest.approx(max(reached), abs=1e-3)
    parts = {reference[i:j] for i in range(len(reference) + 1) for j in range(i, len(reference) + 1)}
    found = {(span.first, span.end): {tuple(one.words) for one in span.translations} for span in forced.spans}
    for first in range(len(sentence)):
        for end in range(first + 1, len(sentence) + 1):
            # A part may be made of pieces that are no parts only where a hole is left out, which no rule does.
            expected = {one.words for one in enumeration.span(first, end) if one.words in parts}
            assert found.get((first, end), set()) == expected


@settings(max_examples=examples(60))
@given(grammars(), sentences)
def test_features_of_holes(lm: LanguageModel, folder: Path, grammar: list[Rule], sentence: list[str]) -> None:
    """An annotation sees hole spans; its feature counts in the score and is reported."""
    chart = Chart(grammar, lm, folder)
    plain = chart.best(sentence, 20)

    def widths(options: _core.OptionColumns, words: list[str]) -> np.ndarray:
        assert words == sentence
        lengths = options.hole_end - options.hole_first
        sums = np.add.reduceat(np.append(lengths, 0), options.hole_offsets[:-1]) if len(lengths) else np.zeros(1)
        empty = np.diff(options.hole_offsets) == 0
        values = np.where(empty, 0, np.resize(sums, len(empty))).astype(np.float32)
        assert (np.diff(options.position_offsets) >= 1).all()
        return values[:, np.newaxis]

    vector = [WEIGHTS.get(name, 0.0) for name in _core.FEATURES]
    silent = chart.decoder.reweighted([*vector, 0.0])
    asked: dict[str, Any] = {"n_best": 20, "distinct": False, "threads": 1}
    (same,) = silent.translate([_core.Sentence(sentence)], annotate=widths, **asked)
    assert [one.score for one in same] == pytest.approx([one.score for one in plain], abs=1e-4)
    loud = chart.decoder.reweighted([*vector, -0.35])
    (changed,) = loud.translate([_core.Sentence(sentence)], annotate=widths, **asked)
    for one in changed:
        steps, values = one.steps, one.features
        covered = sum(_width(steps, number) for number in range(len(steps)) if steps[number].kind == "rule")
        assert values[-1] == pytest.approx(covered)
        assert one.score == pytest.approx(sum(w * v for w, v in zip([*vector, -0.35], values, strict=True)), abs=1e-3)
        assert one.tokens == [
            word for _, word in sorted((p, w) for s in steps for p, w in zip(s.places, s.target, strict=True))
        ]


def _width(steps: list[_core.Step], number: int) -> int:
    def size(step: int) -> int:
        return len(steps[step].positions) + sum(size(child) for child in steps[step].children)

    return sum(size(child) for child in steps[number].children)


def test_a_swap_by_hand(lm: LanguageModel, tmp_path: Path) -> None:
    """X → a X b X | B X2 A X1: the tree says what fills which hole, in target order."""
    rule = Rule(("a", 0, "b", 1), ("B", 1, "A", 0), (0.0,) * 4)
    chart = Chart([rule], lm, tmp_path)
    (best,) = chart.best(["a", "x", "b", "y"])
    steps = best.steps
    assert best.tokens == ["B", "y", "A", "x"]
    assert [step.kind for step in steps] == ["glue", "rule", "copy", "copy"]
    assert steps[0].children == [1]
    assert steps[1].children == [2, 3]
    assert (steps[1].positions, steps[1].target, steps[1].places) == ([0, 2], ["B", "A"], [0, 2])
    assert (steps[2].positions, steps[2].target, steps[2].places) == ([3], ["y"], [1])
    assert (steps[3].positions, steps[3].alignment) == ([1], [(1, 3)])
    told = dict(zip(_core.FEATURES, best.features, strict=True))
    assert (told["rule_penalty"], told["glue"], told["unknown"], told["word_penalty"]) == (3, 1, -2, -4)


def test_threads_change_nothing(lm: LanguageModel, tmp_path: Path) -> None:
    rule = Rule(("a", 0), (0, "A"), (-0.5,) * 4)
    chart = Chart([rule], lm, tmp_path, pop_limit=5, stack_size=3)
    given = [_core.Sentence(["a"] * n) for n in range(8)]
    one, two = (
        [
            [(found.tokens, found.score, found.features) for found in best]
            for best in chart.decoder.translate(given, n_best=3, distinct=False, threads=threads)
        ]
        for threads in (1, 2)
    )
    assert one == two
    assert chart.decoder.search_graphs(given, threads=1) == chart.decoder.search_graphs(given, threads=2)


def test_left_to_right_systems_have_no_chart(demo: Trained) -> None:
    with pytest.raises(InputError, match="no chart"):
        demo.load("pbmt")._decoder.spans([_core.Sentence(["a"])], most=1, threads=1)
