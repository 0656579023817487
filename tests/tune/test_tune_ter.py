"""Our TER against sacreBLEU's, edit for edit, and MERT for it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from amounts import examples
from graphmt import _core
from graphmt.errors import InputError, OptionError
from graphmt.tune import TuneOptions, corpus_ter, optimise
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pools import Hypothesis, Pool, filled
from sacrebleu.metrics import TER
from sacrebleu.metrics.lib_ter import translation_edit_rate

# Few words, so that there are many blocks to shift; long lines, so that the band of edit distances ends inside them.
LINE = st.one_of(
    st.lists(st.sampled_from("abcd"), max_size=12),
    st.lists(st.sampled_from("abcdefghijklmnop"), max_size=20),
)


@st.composite
def shuffled(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A reference, and a hypothesis with its blocks in another order and some words changed."""
    reference = draw(st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=70))
    cuts = sorted(draw(st.lists(st.integers(0, len(reference)), max_size=6)))
    edges = [0, *cuts, len(reference)]
    blocks = [reference[a:b] for a, b in itertools.pairwise(edges)]
    words = [word for block in draw(st.permutations(blocks)) for word in block]
    for place in draw(st.lists(st.integers(0, len(words) - 1), max_size=4)):
        words[place] = draw(st.sampled_from("abcxyz"))
    return words[: draw(st.integers(0, len(words)))] if draw(st.booleans()) else words, reference


@settings(max_examples=examples(300))
@given(st.one_of(shuffled(), st.tuples(LINE, LINE)))
@example(([], []))
@example((list("abc"), []))
@example(([], list("abc")))
@example((["x"], ["a"] * 120))  # so unlike in length that the band is widened
@example((["a", "b"] * 30, ["b", "a"] * 30))  # more shifts to try than are tried
def test_the_edits_are_sacrebleus(pair: tuple[list[str], list[str]]) -> None:
    hypothesis, reference = pair
    [edits] = _core.ter_edits([hypothesis], [[reference]]).tolist()
    assert edits == translation_edit_rate(hypothesis, reference)[0]


@settings(max_examples=examples(50))
@given(
    st.integers(1, 3).flatmap(
        lambda number: st.lists(st.tuples(LINE, st.lists(LINE, min_size=number, max_size=number)), min_size=1)
    )
)
def test_ter_of_a_corpus_is_sacrebleus(corpus: list[tuple[list[str], list[list[str]]]]) -> None:
    hypotheses = [" ".join(one) for one, _ in corpus]
    references = [[" ".join(line) for line in lines] for _, lines in corpus]
    streams = [list(stream) for stream in zip(*references, strict=True)]
    expected = TER(case_sensitive=True).corpus_score(hypotheses, streams).score
    assert corpus_ter(hypotheses, references) == pytest.approx(expected, rel=1e-12)


def test_as_many_references_as_hypotheses() -> None:
    with pytest.raises(InputError, match="1 translations for 2 sentences"):
        corpus_ter(["a"], [["a"], ["b"]])
    with pytest.raises(InputError, match="1 hypotheses for 2 sentences"):
        _core.ter_edits([["a"]], [[["a"]], [["b"]]])


def _crossings(hypotheses: list[Hypothesis], here: np.ndarray, along: np.ndarray) -> list[float]:
    """Where on a line of weights two hypotheses of a list have the same score."""
    values = np.array([[value["x"], value["y"]] for _, value in hypotheses])
    starts, slopes = values @ here, values @ along
    pairs = itertools.combinations(range(len(hypotheses)), 2)
    return [float((starts[a] - starts[b]) / (slopes[b] - slopes[a])) for a, b in pairs]


def test_the_line_search_finds_the_fewest_edits() -> None:
    """Every interval along a line, tried one by one."""
    random = np.random.default_rng(3)
    words = list("abcdef")
    for _ in range(30):
        corpus = [
            [
                (
                    list(random.choice(words, size=random.integers(1, 8))),
                    dict(zip("xy", random.normal(size=2), strict=True)),
                )
                for _ in range(6)
            ]
            for _ in range(4)
        ]
        references = [[list(random.choice(words, size=6))] for _ in corpus]
        lists = filled(corpus, references, ["x", "y"], metric="ter")
        here, along = random.normal(size=2), random.normal(size=2)
        [found] = lists.line_search(along[None, :]).steps(here, [0])
        # The best of a list changes only where two of its hypotheses score the same: a point between any two places.
        places = sorted(place for one in corpus for place in _crossings(one, here, along))
        points = [places[0] - 1, *(np.mean(pair) for pair in itertools.pairwise(places)), places[-1] + 1]
        assert found.quality >= max(lists.quality(here + point * along) for point in points) - 1e-12
        if found.step:
            assert lists.quality(here + found.step * along) == found.quality
        # By hand: the edits of the chosen hypotheses over the words of the references.
        at = here + found.step * along
        chosen = [max(one, key=lambda h: h[1]["x"] * at[0] + h[1]["y"] * at[1])[0] for one in corpus]
        edits = sum(translation_edit_rate(h, r[0])[0] for h, r in zip(chosen, references, strict=True))
        assert found.quality == pytest.approx(-100 * edits / (6 * len(corpus)))


def test_mert_for_ter_lowers_it_and_keeps_the_best() -> None:
    pool = Pool(sentences=30, size=40, seed=4)
    result = optimise(pool, pool.references, TuneOptions(tuner="mert", metric="ter", iterations=6, threads=1))
    rates = [one.ter for one in result.history]
    assert None not in rates and min(rates) < rates[0]
    best = min(result.history, key=lambda one: one.ter)
    assert result.weights == best.weights and result.bleu == best.bleu


@pytest.mark.parametrize("tuner", ["mira", "pro"])
def test_the_others_say_that_they_cannot(tuner: str) -> None:
    pool = Pool(sentences=2, size=3, seed=4)
    with pytest.raises(OptionError, match=f"{tuner} cannot tune for ter"):
        optimise(pool, pool.references, TuneOptions(tuner=tuner, metric="ter"))
