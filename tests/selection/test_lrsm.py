"""Lexicalised rule selection: one source side against scikit-learn, and what has no classifier."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graphmt import _core
from graphmt.errors import InputError
from graphmt.selection import LrsmOptions
from graphmt.selection.lrsm import train_lrsm
from tiny import corpus, shuffled, values

#: a is x, y or z; what is around it says which, but not for sure.
PAIRS = shuffled(
    [("l a r", "L x R")] * 8
    + [("l a s", "L y S")] * 5
    + [("m a r", "M z R")] * 6
    + [("m a s", "M y S")] * 4
    + [("m a r", "M x R")] * 3
    + [("a s", "z S")] * 2
    + [("l a", "L x")] * 3
)
OPTIONS = LrsmOptions(occurrences=1, features=0, iterations=1000, variance=0.7, threads=1)


def test_one_source_side_against_scikit_learn(tmp_path) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    made = corpus(tmp_path, PAIRS)
    report = train_lrsm(made, tmp_path / "lrsm.bin", OPTIONS)
    assert report["classifiers"] == 1
    contexts = ["l {} r", "l {} s", "m {} r", "m {} s", "{} s", "l {}"]
    names = sorted({side for context in contexts for side in sides(context)})

    def row(context: str) -> list[float]:
        return [1.0, *(float(name in sides(context)) for name in names)]

    examples = [(row(s.replace("a", "{}")), next(w for w in t.split() if w in "xyz")) for s, t in PAIRS]
    # ½ ‖w‖² + C Σ −ln p has the minimum of Σ −ln p + ‖w‖² / (2 σ²) for C = σ².
    theirs = linear_model.LogisticRegression(C=0.7, fit_intercept=False, tol=1e-10, max_iter=10_000)
    theirs.fit(np.array([features for features, _ in examples]), [target for _, target in examples])
    model = _core.open_lrsm(tmp_path / "lrsm.bin")
    for context in contexts:
        found = values(made, model, 2, context.format("a"))
        wanted = theirs.predict_proba([row(context)])[0]
        upper = context.upper()
        ours = [math.exp(found[upper.format(target)][0]) for target in theirs.classes_]
        assert ours == pytest.approx(wanted, abs=0.01), context
        # The words around it are never ambiguous: they have no classifier.
        assert {values[1] for values in found.values()} == {len(context.split()) - 1}


def sides(context: str) -> tuple[str, str]:
    words = ["<s>", *context.split(), "</s>"]
    at = words.index("{}")
    return f"left {words[at - 1]}", f"right {words[at + 1]}"


def test_target_sides_beyond_the_classes_share_one(tmp_path) -> None:
    made = corpus(tmp_path, [("a", "x")] * 6 + [("a", "y")] * 2 + [("a", "z")] * 2)
    train_lrsm(made, tmp_path / "lrsm.bin", OPTIONS.replace(classes=1, variance=1e6))
    found = values(made, _core.open_lrsm(tmp_path / "lrsm.bin"), 2, "a")
    assert {target: math.exp(value) for target, (value, _) in found.items()} == pytest.approx(
        {"x": 0.6, "y": 0.2, "z": 0.2}, abs=1e-2
    )


def test_holes_are_looked_into(tmp_path) -> None:
    """a [X] is x [0] before a hole that begins with p, and y [0] before one that begins with q."""
    from graphmt.rules import ExtractOptions

    pairs = [("a p", "x P")] * 12 + [("a q", "y Q")] * 12
    hpb = ExtractOptions(threads=1)
    made = corpus(tmp_path, pairs, "hpb", hpb)
    train_lrsm(made, tmp_path / "lrsm.bin", OPTIONS)
    from graphmt import lm
    from graphmt.lm import LmOptions
    from graphmt.model import SearchOptions

    lm.train([made.target], tmp_path / "lm.bin", LmOptions(order=1, discount_fallback=True))
    weights = [0.0] * len(_core.FEATURES)
    limits = SearchOptions(max_span=10, pop_limit=1000, stack_size=1000, beam_threshold=1e9)
    decoder = _core.Decoder.chart(made.rules, tmp_path / "lm.bin", weights, limits).annotated(
        [_core.open_lrsm(tmp_path / "lrsm.bin")], [*weights, 1.0, 0.0]
    )
    for words, wanted in ((["a", "p"], ["x", "P"]), (["a", "q"], ["y", "Q"])):
        ((found,),) = decoder.translate([_core.Sentence(words)], n_best=1, distinct=True, threads=1)
        assert found.tokens == wanted


def test_nothing_ambiguous(tmp_path) -> None:
    made = corpus(tmp_path, [("a b", "x y")] * 5)
    with pytest.raises(InputError, match="no source side is ambiguous"):
        train_lrsm(made, tmp_path / "lrsm.bin", OPTIONS)


def test_the_same_for_any_number_of_threads(tmp_path) -> None:
    made = corpus(tmp_path, PAIRS)
    files = set()
    for threads in (1, 3):
        train_lrsm(made, tmp_path / "lrsm.bin", OPTIONS.replace(threads=threads))
        files.add((tmp_path / "lrsm.bin").read_bytes())
    assert len(files) == 1
