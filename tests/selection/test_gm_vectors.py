"""Vectors of target words, and relatedness by the angle between them."""

from __future__ import annotations

import math
import shutil

import numpy as np
import pytest
from amounts import examples
from graphmt import _core
from graphmt.errors import GraphmtError, InputError
from graphmt.model import load
from graphmt.selection.gm import open_gm
from graphmt.selection.vectors import word_vectors
from hypothesis import given, settings
from hypothesis import strategies as st
from sealing import with_digests


def rows_of(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offsets, neighbours and counts of a symmetric matrix."""
    found = [np.flatnonzero(row) for row in counts]
    offsets = np.cumsum([0, *map(len, found)])
    neighbours = np.concatenate([*found, np.array([], dtype=int)]).astype(np.uint32)
    return offsets.astype(np.uint64), neighbours, counts[counts > 0].astype(np.uint32)


def positive_pmi(counts: np.ndarray) -> np.ndarray:
    of_word, whole = counts.sum(1), counts.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.log(counts * whole / np.outer(of_word, of_word))
    return np.where((counts > 0) & (pmi > 0), pmi, 0.0)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12), st.floats(0.1, 0.9))
def test_all_dimensions_are_the_decomposition_of_positive_pmi(seed, words, density) -> None:
    """With X = U √S of M = U S Vᵀ, X Xᵀ is the root of M Mᵀ: for a symmetric M, of M²."""
    random = np.random.default_rng(seed)
    upper = np.triu(random.integers(1, 20, (words, words)) * (random.random((words, words)) < density), 1)
    counts = upper + upper.T
    m = positive_pmi(counts)
    found = word_vectors(*rows_of(counts), 1000)
    assert found.shape == (words, words) and found.dtype == np.float32
    values, turns = np.linalg.eigh(m)
    assert found @ found.T == pytest.approx(turns @ np.diag(np.abs(values)) @ turns.T, abs=1e-3)
    assert not found[m.sum(1) == 0].any()


def test_few_dimensions_are_the_first_ones() -> None:
    """Two groups of words that are only near one another: the angle is small within, and a right one between."""
    random = np.random.default_rng(3)
    counts = np.zeros((60, 60), dtype=int)
    for group in (slice(0, 30), slice(30, 60)):
        near = random.integers(1, 9, (30, 30))
        counts[group, group] = np.triu(near, 1) + np.triu(near, 1).T
    vectors = word_vectors(*rows_of(counts), 2)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit @ unit.T
    assert cosine[:30, :30].min() > 0.9 and cosine[30:, 30:].min() > 0.9 and np.abs(cosine[:30, 30:]).max() < 0.1
    assert (vectors == word_vectors(*rows_of(counts), 2)).all()


def test_relatedness_is_that_of_the_angle(two_ways) -> None:
    """exp(3 cos), whatever the lengths; the numbers of words are those of the counts."""
    folder = two_ways["pbmt+gm"]
    model = open_gm(folder)
    near = model.neighbours()
    assert len(near.words) == len(near.counts) == near.offsets[-1]
    vectors = np.load(folder / "gm-vectors.npy")
    assert vectors.shape == (len(near.offsets) - 1, 5)
    longer = _core.GmModel(folder / "gm.bin", (7 * vectors).astype(np.float32))
    words = model.content_words()[:12]
    values = {model.relatedness("embeddings", a, b) for a in words for b in words}
    assert len(values) > 20 and min(values) >= math.exp(-3) - 1e-6
    # A word that is near no other more often than by chance has no direction: cos is taken to be 0.
    alone = [model.relatedness("embeddings", word, word) for word in words]
    assert all(value == pytest.approx(math.exp(3), rel=1e-4) or value == 1.0 for value in alone)
    assert max(values) == pytest.approx(max(alone), rel=1e-4) and max(alone) > 20
    for a in words:
        for b in words:
            own = model.relatedness("embeddings", b, a)
            assert longer.relatedness("embeddings", a, b) == pytest.approx(own, rel=1e-4)


def test_models_without_vectors_and_with_others_are_refused(two_ways, tmp_path) -> None:
    shutil.copytree(two_ways["pbmt+gm"], tmp_path / "model")
    vectors = tmp_path / "model" / "gm-vectors.npy"
    content = vectors.read_bytes()
    np.save(vectors, np.zeros((3, 5), dtype=np.float32))
    with pytest.raises(InputError, match="3 vectors for"):
        load(with_digests(tmp_path / "model"))
    for damaged in (b"", b"not an array", content[:200]):
        vectors.write_bytes(damaged)
        with pytest.raises(InputError, match=r"gm-vectors.npy: not a vector file"):
            load(with_digests(tmp_path / "model"))
    vectors.unlink()
    load(with_digests(tmp_path / "model"))
    with pytest.raises(GraphmtError, match=r"without vectors.*dimensions = 100"):
        load(tmp_path / "model", gm_relatedness="embeddings")
