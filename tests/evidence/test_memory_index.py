"""Looking up n-grams in a translation memory."""

from __future__ import annotations

import naive_evidence
import pytest
from graphmt import _core
from graphmt.errors import InputError
from graphmt.evidence import EvidenceOptions, make_index
from hypothesis import given
from hypothesis import strategies as st

# Few words, so that n-grams repeat within and between sentences.
SENTENCE = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCE, SENTENCE), max_size=25)
NGRAM = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=1, max_size=6).map(tuple)


@given(PAIRS, st.lists(NGRAM, max_size=10), st.integers(1, 8))
def test_lookups_are_those_of_a_search_through_all_pairs(
    pairs: list[tuple[str, str]], asked: list[tuple[str, ...]], most: int
) -> None:
    index = make_index(pairs)
    naive = naive_evidence.NaiveMemory(pairs, EvidenceOptions(sample=most))
    assert len(index) == len(pairs)
    for ngram in asked:
        words = " ".join(ngram)
        assert index.source_frequency(words) == len(naive.with_source(ngram))
        assert index.pairs_with(words, 1000).tolist() == naive.with_source(ngram)
        assert index.pairs_with(words, most).tolist() == naive.sample(ngram)
        if len(ngram) <= 4:
            assert index.target_frequency(words) == len(naive.with_target(ngram))


def test_long_sentences_and_many_pairs() -> None:
    """Sentences beyond the length up to which repetitions are found by comparing all positions, and several blocks."""
    pairs = [(" ".join(str(k * n % 13) for k in range(60 + n)), "x " * (n % 70)) for n in range(90)]
    index = make_index(pairs)
    naive = naive_evidence.NaiveMemory(pairs, EvidenceOptions())
    for words in ("0", "1 2", "5 10 2", "3 6 9 12", "0 0 0 0 0 0", "12 11 10 9 8 7"):
        assert index.source_frequency(words) == len(naive.with_source(tuple(words.split())))
        assert index.pairs_with(words, 7).tolist() == naive_evidence.NaiveMemory(
            pairs, EvidenceOptions(sample=7)
        ).sample(tuple(words.split()))
    assert [index.target_frequency("x " * length) for length in (1, 2, 3, 4)] == [88, 86, 84, 82]


def test_case_is_ignored_if_asked() -> None:
    lines = [("Das Haus", "The house")]
    assert make_index(lines).target_frequency("THE House") == 1
    kept = make_index(lines, EvidenceOptions(lowercase=False))
    assert (kept.target_frequency("the house"), kept.target_frequency("The house")) == (0, 1)
    assert kept.pair(0).source == "Das Haus"
    assert make_index(lines).pair(0).target == "the house"


def test_an_empty_memory_has_nothing() -> None:
    index = make_index([])
    assert len(index) == 0
    assert index.source_frequency("a b") == index.target_frequency("a") == 0
    assert index.pairs_with("a", 10).tolist() == []


def test_wrong_calls_are_errors() -> None:
    builder = _core.MemoryBuilder()
    with pytest.raises(InputError, match="1 source lines for 2 target lines"):
        builder.add(["a"], ["b", "c"])
    index = builder.finish()
    with pytest.raises(InputError, match="finished"):
        builder.add(["a"], ["b"])
    with pytest.raises(InputError, match="finished"):
        builder.finish()
    with pytest.raises(InputError, match="7 words; this side has those of 1 to 6"):
        index.source_frequency("a b c d e f g")
    with pytest.raises(InputError, match="0 words"):
        index.target_frequency(" ")
    with pytest.raises(InputError, match="no pair 0 in a memory of 0 pairs"):
        index.pair(0)
