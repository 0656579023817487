"""The features of n-grams: worked by hand, and against a naive implementation of the definitions."""

from __future__ import annotations

import math

import naive_evidence
import numpy as np
import pytest
from amounts import examples
from graphmt import _core
from graphmt.errors import InputError
from graphmt.evidence import EvidenceOptions, SentenceLists, make_index
from graphmt.evidence.posteriors import make_rows
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = _core.EVIDENCE_FEATURES
MEMORY = [
    ("das haus ist alt", "the house is old"),
    ("das haus ist neu", "the house is new"),
    ("das auto", "the car"),
    ("ein haus", "a house"),
    ("ein altes haus", "an old house"),
]


def logit(p: float) -> float:
    return math.log(p / (1 - p))


def test_five_pairs_by_hand() -> None:
    lists = SentenceLists(
        ["das haus ist klein"],
        [["the house is small", "a house"]],
        [[math.log(0.75), math.log(0.25)]],
        [["the house is little"]],
    )
    rows = make_rows(make_index(MEMORY), lists, EvidenceOptions())
    assert [rows.ngrams(order) for order in (1, 2, 3, 4)] == [
        ["the", "house", "is", "small", "a"],
        ["the house", "house is", "is small", "a house"],
        ["the house is", "house is small"],
        ["the house is small"],
    ]
    assert rows.labels(1).tolist() == [1, 1, 1, 0, 0]
    assert rows.labels(2).tolist() == [1, 1, 0, 0]
    assert rows.labels(3).tolist() == [1, 0]
    named = dict(zip(NAMES, rows.features(2)[0].tolist(), strict=True))
    # "the house" is in 2 of 5 targets.
    p0 = 2.5 / 6
    # Of the sources, "das" is in 3, "haus" in 4, "ist" in 2: 2, 2 and 2 of them have it.
    assert named["m1"] == pytest.approx(logit((2 + 1.5 * p0) / (2 + 1.5)))
    # "das haus" and "haus ist" are in the first two, "das haus ist" too; nothing longer is known.
    q = logit((2 + 1.5 * p0) / 3.5)
    assert [named[f"m{length}"] for length in range(2, 7)] == pytest.approx([q] * 5)
    # Only the first two pairs share bigrams with the input; each differs in one of four words.
    assert named["best_fuzzy"] == 0.75
    assert [named[f"nb{k}"] for k in (1, 3, 10)] == [1, 1, 1]
    assert [named[f"nb{k}_fuzzy"] for k in (1, 3, 10)] == [0.75, 0.75, 0.75]
    assert named["posterior"] == pytest.approx(logit(0.75), rel=1e-6)
    flat = 0.75**0.4 / (0.75**0.4 + 0.25**0.4)
    assert named["flat_posterior"] == pytest.approx(logit(flat), rel=1e-6)
    assert named["in_first"] == 1
    assert named["background"] == pytest.approx(logit(p0), rel=1e-6)
    # "a house" is in one target, with "haus" (4 pairs) in its source, not with "ist" (2) or "das" (3).
    named = dict(zip(NAMES, rows.features(2)[3].tolist(), strict=True))
    p0 = 1.5 / 6
    assert named["m1"] == pytest.approx(logit((1 + 1.5 * p0) / 5.5), rel=1e-6)
    assert named["m3"] == pytest.approx(logit(1.5 * p0 / 3.5), rel=1e-6)
    assert (named["nb10"], named["in_first"]) == (0, 0)
    # "house" is in every candidate: the posterior is clipped.
    house = dict(zip(NAMES, rows.features(1)[1].tolist(), strict=True))
    assert house["posterior"] == pytest.approx(logit(1 - 1e-3), rel=1e-5)


SENTENCE = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=8).map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCE, SENTENCE), max_size=20)
CANDIDATES = st.lists(SENTENCE.map(lambda line: f"{line} new" if len(line) > 9 else line), min_size=1, max_size=5)
OPTIONS = st.builds(
    EvidenceOptions,
    sample=st.integers(1, 6),
    frequent=st.integers(1, 8),
    compared=st.integers(0, 8),
    prior=st.sampled_from([0.5, 1.5]),
    skip_identical=st.booleans(),
)


@settings(max_examples=examples(60))
@given(st.data())
def test_rows_are_those_of_the_definitions(data: st.DataObject) -> None:
    pairs, options = data.draw(PAIRS), data.draw(OPTIONS)
    sources = data.draw(st.lists(SENTENCE | st.sampled_from([source for source, _ in pairs] or [""]), max_size=3))
    candidates = [data.draw(CANDIDATES) for _ in sources]
    scores = [[float(data.draw(st.integers(-9, 0))) for _ in own] for own in candidates]
    scored = data.draw(st.booleans())
    left_out = [data.draw(st.lists(st.integers(0, len(pairs) - 1), max_size=3)) if pairs else [] for _ in sources]
    references = [[data.draw(SENTENCE), data.draw(SENTENCE)] for _ in sources]
    lists = SentenceLists(sources, candidates, scores if scored else None, references, left_out)
    found = make_rows(make_index(pairs), lists, options)
    for order in (1, 2, 3, 4):
        starts = found.starts(order).tolist()
        features, words, labels = found.features(order), found.ngrams(order), found.labels(order)
        for sentence, source in enumerate(sources):
            without = set(left_out[sentence])
            if options.skip_identical:
                without |= {number for number, (own, _) in enumerate(pairs) if own.split() == source.split()}
            naive = naive_evidence.NaiveMemory(pairs, options, sorted(without))
            given_scores = scores[sentence] if scored else None
            wanted = naive_evidence.rows(naive, source, candidates[sentence], given_scores, order)
            own = slice(starts[sentence], starts[sentence + 1])
            assert words[own] == list(wanted)
            np.testing.assert_allclose(
                features[own], np.array(list(wanted.values())).reshape(-1, len(NAMES)), rtol=1e-5, atol=1e-6
            )
            known = [
                any(naive_evidence.has(line.split(), tuple(ngram.split())) for line in references[sentence])
                for ngram in wanted
            ]
            assert labels[own].tolist() == known


def test_words_that_the_memory_does_not_have() -> None:
    lists = SentenceLists(["völlig fremd"], [["quite strange", "strange indeed", ""]])
    rows = make_rows(make_index(MEMORY), lists, EvidenceOptions())
    assert rows.ngrams(1) == ["quite", "strange", "indeed"]
    background = logit(0.5 / 6)
    for row in rows.features(1).tolist():
        named = dict(zip(NAMES, row, strict=True))
        assert [named[f"m{length}"] for length in range(1, 7)] == pytest.approx([background] * 6)
        assert named["best_fuzzy"] == named["nb1"] == 0
    # Without log-probabilities all three candidates are equally probable.
    assert rows.features(1)[:, NAMES.index("posterior")] == pytest.approx([logit(1 / 3), logit(2 / 3), logit(1 / 3)])
    assert rows.labels(1).tolist() == []


def test_an_empty_memory_and_empty_lists() -> None:
    lists = SentenceLists(["a b", "", "c"], [["x y"], [], [""]])
    rows = make_rows(make_index([]), lists, EvidenceOptions(skip_identical=True))
    assert len(rows) == 3
    assert [rows.starts(order).tolist() for order in (1, 2, 3)] == [[0, 2, 2, 2], [0, 1, 1, 1], [0, 0, 0, 0]]
    assert rows.features(3).shape == (0, len(NAMES))
    assert rows.features(1)[:, :13].tolist() == [[0.0] * 13] * 2
    none = make_rows(make_index([]), SentenceLists([], []), EvidenceOptions())
    assert len(none) == 0 and none.features(1).shape == (0, len(NAMES))


def test_wrong_inputs_are_errors() -> None:
    def rejected(lists: SentenceLists) -> str:
        with pytest.raises(InputError) as raised:
            make_rows(make_index(MEMORY), lists, EvidenceOptions())
        return str(raised.value)

    assert "1 lists of candidates for 2 sentences" in rejected(SentenceLists(["a", "b"], [["x"]]))
    assert "0 lists of references for 1 sentences" in rejected(SentenceLists(["a"], [["x"]], references=[]))
    assert "has 1 candidates and 2 log-probabilities" in rejected(SentenceLists(["a"], [["x"]], [[0.0, 1.0]]))
    assert "not a finite number" in rejected(SentenceLists(["a"], [["x"]], [[math.nan]]))
    assert "leaves out pair 5 of a memory of 5 pairs" in rejected(SentenceLists(["a"], [["x"]], left_out=[[5]]))
    rows = make_rows(make_index(MEMORY), SentenceLists(["a"], [["x"]]), EvidenceOptions())
    with pytest.raises(InputError, match="order 5"):
        rows.features(5)
