"""The discriminative word lexicon: one word against scikit-learn, and words without a classifier."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graphmt import _core
from graphmt.errors import InputError
from graphmt.selection import DwlOptions
from graphmt.selection.dwl import train_dwl
from tiny import corpus, shuffled, values

#: a is x, y or z; the words of the sentence, near or far, say which, but not for sure.
PAIRS = shuffled(
    [("l b a r", "L B x R")] * 8
    + [("b l a s", "B L y S")] * 5
    + [("m a r b", "M z R B")] * 6
    + [("m a s", "M y S")] * 4
    + [("m a r", "M x R")] * 3
    + [("a s", "z S")] * 2
    + [("l a", "L x")] * 3
)
OPTIONS = DwlOptions(occurrences=1, features=0, iterations=1000, variance=0.7, threads=1)


def features(words: list[str]) -> set[str]:
    """What the classifier of the word a sees."""
    at = words.index("a")
    around = ["<s>", *words, "</s>"]
    others = {f"with {word}" for k, word in enumerate(words) if k != at}
    return {"bias", f"left {around[at]}", f"right {around[at + 2]}", *others}


def test_one_word_against_scikit_learn(tmp_path) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    made = corpus(tmp_path, PAIRS)
    report = train_dwl(made, tmp_path / "dwl.bin", OPTIONS)
    assert report["classifiers"] == 1
    names = sorted(set().union(*(features(source.split()) for source, _ in PAIRS)))

    def row(source: str) -> list[float]:
        return [float(name in features(source.split())) for name in names]

    targets = [next(word for word in target.split() if word in "xyz") for _, target in PAIRS]
    theirs = linear_model.LogisticRegression(C=0.7, fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(np.array([row(source) for source, _ in PAIRS]), targets)
    model = _core.open_dwl(tmp_path / "dwl.bin")
    for source, target in sorted(set(PAIRS)):
        found = values(made, model, 1, source)
        shape = " ".join("{}" if word in "xyz" else word for word in target.split())
        for name, wanted in zip(theirs.classes_, theirs.predict_proba([row(source)])[0], strict=True):
            gain = math.log(wanted) - math.log(targets.count(name) / len(targets))
            assert found[shape.format(name)] == pytest.approx([gain], abs=0.02), (source, name)


def test_translations_beyond_the_classes_share_one(tmp_path) -> None:
    """Nothing in the sentence says more than the word itself: no translation gains."""
    made = corpus(tmp_path, [("a", "x")] * 6 + [("a", "y")] * 2 + [("a", "z")] * 2)
    train_dwl(made, tmp_path / "dwl.bin", OPTIONS.replace(classes=1, variance=1e6))
    found = values(made, _core.open_dwl(tmp_path / "dwl.bin"), 1, "a")
    assert set(found) == {"x", "y", "z"}
    assert [gain for (gain,) in found.values()] == pytest.approx([0.0] * 3, abs=1e-2)


def test_a_far_word_decides(tmp_path) -> None:
    pairs = [("a b c p", "x B C P")] * 12 + [("a b c q", "y B C Q")] * 12
    made = corpus(tmp_path, pairs)
    train_dwl(made, tmp_path / "dwl.bin", OPTIONS)
    model = _core.open_dwl(tmp_path / "dwl.bin")
    for source, better, worse in (("a b c p", "x B C P", "y B C P"), ("a b c q", "y B C Q", "x B C Q")):
        found = values(made, model, 1, source)
        assert found[better][0] > 0.3 > -0.3 > found[worse][0]


def test_rare_words_have_no_classifier(tmp_path) -> None:
    made = corpus(tmp_path, [("a b", "x z"), ("a b", "y z")])
    with pytest.raises(InputError, match=r"no source side is ambiguous.*\[dwl\]"):
        train_dwl(made, tmp_path / "dwl.bin", OPTIONS.replace(occurrences=3))


def test_the_same_for_any_number_of_threads(tmp_path) -> None:
    made = corpus(tmp_path, PAIRS)
    files = set()
    for threads in (1, 3):
        train_dwl(made, tmp_path / "dwl.bin", OPTIONS.replace(threads=threads))
        files.add((tmp_path / "dwl.bin").read_bytes())
    assert len(files) == 1
