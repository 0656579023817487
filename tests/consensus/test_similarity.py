"""Formula (10) and the exactness of the index."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path

import plain_formulas
import pytest
from graphmt import _core
from graphmt.consensus import RerankOptions, make_memory
from graphmt.corpus import tokenised
from graphmt.errors import InputError, OptionError
from hypothesis import given
from hypothesis import strategies as st

# Few words, so that sentences have much in common and n-grams repeat.
SENTENCE = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)


@given(SENTENCE, SENTENCE)
def test_formula_10_as_written(one: str, other: str) -> None:
    [found] = _core.symmetric_bleu(one, [other])
    assert found == pytest.approx(plain_formulas.similarity(one, other), abs=1e-12)
    assert _core.symmetric_bleu(other, [one]) == [found]


def test_formula_10_by_hand() -> None:
    # a b c d against a b c e: precisions 3/4, 2/3, 1/2, 0 in both directions, equal lengths.
    wanted = (3 / 4) / 16 + math.sqrt(3 / 4 * 2 / 3) / 8 + (3 / 4 * 2 / 3 / 2) ** (1 / 3) / 4
    assert _core.symmetric_bleu("a b c d", ["a b c e", "a b c d"]) == pytest.approx([wanted, 1.0], abs=1e-12)
    assert _core.symmetric_bleu("a", ["a"]) == [1.0]


@given(st.lists(SENTENCE, min_size=1, max_size=40), st.lists(SENTENCE, max_size=8), st.sampled_from([0.19, 0.3, 0.7]))
def test_the_index_finds_what_comparing_all_finds(known: list[str], asked: list[str], threshold: float) -> None:
    memory = make_memory([(source, "x") for source in known])
    for source, found in zip(asked, memory.neighbours(asked, threshold), strict=True):
        wanted = {one: plain_formulas.similarity(source, one) for one in dict.fromkeys(known)}
        wanted = {one: w for one, w in wanted.items() if w >= threshold}
        assert {one.source: one.similarity for one in found} == pytest.approx(wanted, abs=1e-12)


def test_the_index_on_real_sentences(reference: Path) -> None:
    """All pairs of 2,000 sentences, by the core's other way of comparing, which the tests above hold against (10)."""
    train = reference / "data" / "tatoeba-de-en" / "train.de.conllu.gz"
    known = list(dict.fromkeys(islice(tokenised(train, lowercase=True), 60_000, 62_500)))[:2000]
    assert len(known) == 2000
    memory = make_memory([(source, "x") for source in known])
    found = [{one.source: one.similarity for one in own} for own in memory.neighbours(known, 0.3)]
    wanted: list[dict[str, float]] = [{source: 1.0} for source in known]
    for place, source in enumerate(known):
        for other, w in zip(known, _core.symmetric_bleu(source, known[:place]), strict=False):
            if w >= 0.3:
                wanted[place][other] = wanted[known.index(other)][source] = w
    assert found == wanted
    assert sum(map(len, wanted)) > 2 * 2000


def test_thresholds_and_empty_memories_are_refused() -> None:
    memory = make_memory([("a b c", "x")])
    with pytest.raises(OptionError, match=r"above 0\.1875"):
        memory.neighbours(["a"], 0.1)
    with pytest.raises(InputError, match="empty"):
        make_memory([])
    with pytest.raises(OptionError, match="threshold must be at least"):
        RerankOptions(threshold=0.1)


def test_translations_of_one_source_and_case() -> None:
    pairs = [("Ja , gern .", "yes , please ."), ("ja , gern .", "sure ."), ("JA , gern .", "Sure .")]
    memory = make_memory(pairs, RerankOptions(lowercase=True))
    assert (len(memory), memory.pairs) == (1, 3)
    [[near]] = memory.neighbours(["Ja , Gern ."], 0.3)
    assert (near.source, near.similarity) == ("ja , gern .", 1.0)
    assert {one.text: one.probability for one in near.translations} == pytest.approx(
        {"yes , please .": 1 / 3, "sure .": 2 / 3}
    )
    assert len(make_memory(pairs)) == 3


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_threads_finds_the_same(threads: int) -> None:
    known = [f"w{k % 7} w{k % 5} w{k % 3} w{k % 2} ." for k in range(300)]
    memory = make_memory([(source, source) for source in known])
    assert memory.neighbours(known, 0.3, threads=threads) == memory.neighbours(known, 0.3, threads=2)
