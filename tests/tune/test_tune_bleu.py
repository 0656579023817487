"""Our BLEU against sacreBLEU's, up to rounding: from Python 3.12 on, its sums are compensated."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from graphmt import _core
from graphmt.errors import InputError
from graphmt.tune import corpus_bleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

WORDS = st.sampled_from(["a", "A", "b", "c", "Straße", "STRASSE", "İ", "."])
LINE = st.lists(WORDS, max_size=12).map(" ".join)


rounded = partial(pytest.approx, rel=1e-14, abs=0)


def sacrebleu(hypotheses: list[str], references: list[list[str]], lowercase: bool, smooth: bool) -> float:
    metric = BLEU(lowercase=lowercase, tokenize="none", smooth_method="exp" if smooth else "none", force=True)
    streams = [list(stream) for stream in zip(*references, strict=True)]
    return metric.corpus_score(hypotheses, streams).score


@given(
    st.integers(1, 3).flatmap(
        lambda number: st.lists(st.tuples(LINE, st.lists(LINE, min_size=number, max_size=number)), min_size=1)
    ),
    st.booleans(),
    st.booleans(),
)
def test_equals_sacrebleu(corpus: list[tuple[str, list[str]]], lowercase: bool, smooth: bool) -> None:
    hypotheses, references = [one[0] for one in corpus], [one[1] for one in corpus]
    ours = corpus_bleu(hypotheses, references, lowercase=lowercase, smooth=smooth)
    assert ours == rounded(sacrebleu(hypotheses, references, lowercase, smooth))


CASES = [
    # (what, translations, references of each)
    ("empty translation", [""], [["a b c d"]]),
    ("empty reference", ["a b c d"], [[""]]),
    ("all empty", [""], [[""]]),
    ("no match", ["x y z w v"], [["a b c d e"]]),
    ("no 4-gram match", ["a b c x d e"], [["a b c d e"]]),
    ("shorter than 4 words", ["a b c"], [["a b c"]]),
    ("brevity", ["a b c d"], [["a b c d e f"]]),
    ("two references, lengths equally near", ["a b c d e"], [["a b c d", "a b c d e f"]]),
    ("clipped by the one that has most", ["the the the the the"], [["the cat the", "the the the dog"]]),
]


@pytest.mark.parametrize(("what", "hypotheses", "references"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("smooth", [True, False])
def test_edges(what: str, hypotheses: list[str], references: list[list[str]], smooth: bool) -> None:
    expected = sacrebleu(hypotheses, references, False, smooth)
    assert corpus_bleu(hypotheses, references, smooth=smooth) == rounded(expected)


def test_a_large_corpus() -> None:
    random = np.random.default_rng(5)
    vocabulary = np.array([f"w{number}" for number in range(50)])
    lines = [" ".join(vocabulary[random.integers(0, 50, size=random.integers(1, 30))]) for _ in range(800)]
    references = [[line, " ".join(line.split()[::-1])] for line in lines]
    noisy = [" ".join(word for word in line.split() if random.random() > 0.2) for line in lines]
    assert corpus_bleu(noisy, references) == rounded(sacrebleu(noisy, references, False, True))


def test_threads_do_not_matter() -> None:
    lines = [f"a b c d {number} e f" for number in range(100)]
    given_ = ([line.split() for line in lines], [[lines[-1].split()]] * 100)
    assert (_core.bleu_statistics(*given_, threads=1) == _core.bleu_statistics(*given_, threads=2)).all()


def test_other_numbers_of_sentences_are_refused() -> None:
    with pytest.raises(InputError, match="2 translations for 1"):
        corpus_bleu(["a", "b"], [["a"]])
    with pytest.raises(InputError, match="there are 10"):
        _core.bleu_score([1, 2])
