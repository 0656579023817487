"""Neighbours by vectors: against a plain search, as columns of rows, and in re-ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import graphmt
import naive_evidence
import numpy as np
import pytest
import small_lists
from graphmt import _core
from graphmt.cli import app
from graphmt.consensus import DevSet, RerankOptions
from graphmt.errors import InputError, OptionError
from graphmt.evidence import EvidenceOptions, MemoryVectors, SentenceLists, make_index, nearest_by_cosine, read_vectors
from graphmt.evidence.posteriors import make_rows
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from typer.testing import CliRunner

NUMBERS = st.integers(-3, 3).map(float) | st.sampled_from([1e-20, 1e30])


def plain(queries: Sequence[Sequence[float]], vectors: Sequence[Sequence[float]], most: int) -> list[list[float]]:
    """The largest positive cosines of each query, by their definition."""

    def cosine(a: Sequence[float], b: Sequence[float]) -> float:
        lengths = math.hypot(*a) * math.hypot(*b)
        return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0

    return [sorted((cosine(q, v) for v in vectors), reverse=True)[:most] for q in queries]


def assert_near(found: list[list[tuple[int, float]]], other: list[list[tuple[int, float]]]) -> None:
    """The same cosines but for the last digit, which depends on the size of the blocks."""
    for one, two in zip(found, other, strict=True):
        first, second = ([cosine for _, cosine in own if cosine > 1e-5] for own in (one, two))
        assert first == pytest.approx(second, abs=3e-6)


@given(st.data())
def test_the_nearest_are_those_of_a_plain_search(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 4))
    rows = st.lists(st.lists(NUMBERS, min_size=size, max_size=size), max_size=12)
    queries, vectors, most = data.draw(rows), data.draw(rows), data.draw(st.integers(1, 5))
    matrix = np.array(vectors, dtype=np.float32).reshape(-1, size)
    asked = np.array(queries, dtype=np.float32).reshape(-1, size)
    found = nearest_by_cosine(asked, matrix, most, block=data.draw(st.integers(1, 60)))
    assert_near(found, nearest_by_cosine(asked, matrix, most))
    assert len(found) == len(queries)
    for own, wanted in zip(found, plain(asked.tolist(), matrix.tolist(), most), strict=True):
        cosines = [cosine for _, cosine in own]
        assert cosines == sorted(cosines, reverse=True) and len({number for number, _ in own}) == len(own)
        positive = [cosine for cosine in wanted if cosine > 1e-6]
        assert cosines[: len(positive)] == pytest.approx(positive, abs=1e-5)
    kept = np.array(data.draw(st.lists(st.integers(0, max(len(vectors) - 1, 0)), unique=True)), dtype=np.int64)
    kept = np.sort(kept[kept < len(vectors)])
    assert_near(nearest_by_cosine(asked, matrix, most, kept=kept), nearest_by_cosine(asked, matrix[kept], most))


MEMORY = [("das haus", "the house"), ("ein heim", "a home"), ("das auto", "the car"), ("ein heim", "one home")]


def test_columns_of_neighbours_by_vectors() -> None:
    near = [[(1, 0.9), (3, 0.5), (2, 0.1)], []]
    lists = SentenceLists(["ein gebäude", "nichts"], [["a home", "the house"], ["x"]], by_vectors=near)
    options = EvidenceOptions()
    rows = make_rows(make_index(MEMORY), lists, options)
    plain_rows = make_rows(make_index(MEMORY), SentenceLists(lists.sources, lists.candidates), options)
    assert rows.features(1).shape[1] == len(_core.EVIDENCE_FEATURES) + len(_core.VECTOR_FEATURES)
    assert np.array_equal(rows.features(1)[:, : len(_core.EVIDENCE_FEATURES)], plain_rows.features(1))
    naive = naive_evidence.NaiveMemory(MEMORY, options)
    for words, row in zip(rows.ngrams(1), rows.features(1)[:, -4:].tolist(), strict=True):
        own = near[0] if words != "x" else near[1]
        wanted = list(naive.neighbour_features(own, (words,)))
        assert row == pytest.approx([*wanted[:3], wanted[-1]], rel=1e-6)
    # A pair that is left out is nobody's neighbour.
    without = SentenceLists(["ein heim"], [["a home"]], by_vectors=[[(1, 0.9), (0, 0.2)]])
    left = make_rows(make_index(MEMORY), without, EvidenceOptions(skip_identical=True))
    assert left.features(1)[:, -1].tolist() == pytest.approx([0.2, 0.2])


def test_classifiers_know_whether_they_have_seen_vectors(tmp_path: Path) -> None:
    options, index = EvidenceOptions(classifier="lr", folds=2), make_index(MEMORY)
    lists = SentenceLists(["a", "b"], [["the home", "a car"]] * 2, references=[["a home"], ["the car"]])
    near = SentenceLists(lists.sources, lists.candidates, references=lists.references, by_vectors=[[(1, 0.9)], []])
    bare, full = make_rows(index, lists, options), make_rows(index, near, options)
    predictor = _core.NgramPredictor.fit(full, options)
    predictor.save(tmp_path / "ngrams.bin")
    opened = _core.NgramPredictor.open(tmp_path / "ngrams.bin")
    assert np.array_equal(opened.probabilities(full).of_order(1), predictor.probabilities(full).of_order(1))
    with pytest.raises(InputError, match="were fitted to sentences with vectors, these have none"):
        predictor.probabilities(bare)
    with pytest.raises(InputError, match="the sentences have vectors"):
        _core.NgramPredictor.fit(bare, options).probabilities(full)


def test_wrong_vectors_are_told(tmp_path: Path) -> None:
    def rejected(lists: SentenceLists) -> str:
        with pytest.raises(InputError) as raised:
            make_rows(make_index(MEMORY), lists, EvidenceOptions())
        return str(raised.value)

    assert "is near pair 4 of a memory of 4 pairs" in rejected(SentenceLists(["a"], [["x"]], by_vectors=[[(4, 0.5)]]))
    assert "not a finite number" in rejected(SentenceLists(["a"], [["x"]], by_vectors=[[(0, math.nan)]]))
    assert "0 lists of neighbours by vectors" in rejected(SentenceLists(["a"], [["x"]], by_vectors=[]))
    with pytest.raises(InputError, match="with 3 values for the sentences, and with 2 for the memory"):
        nearest_by_cosine(np.ones((1, 3)), np.ones((2, 2), dtype=np.float32))
    with pytest.raises(InputError, match="infinite or undefined"):
        nearest_by_cosine([[math.inf]], np.ones((1, 1), dtype=np.float32))
    with pytest.raises(InputError, match="2 vectors for 1 texts"):
        MemoryVectors.encoded(["a"], lambda _: np.ones((2, 2)), 1)
    (tmp_path / "text.npy").write_text("1 2 3\n", "utf-8")
    np.save(tmp_path / "flat.npy", np.ones(3))
    for name, said in (("text.npy", "not a matrix"), ("flat.npy", "1 dimensions of float64"), ("none.npy", "no such")):
        with pytest.raises(InputError, match=said):
            read_vectors(tmp_path / name)


TRAIN, DEV, TEST = (small_lists.sentences(number, seed) for number, seed in ((150, 1), (40, 2), (30, 3)))


def encode(texts: Sequence[str]) -> NDArray[np.float64]:
    """Counts of words."""
    known = sorted({word for source, _ in TRAIN for word in source.split()})
    return np.array([[text.split().count(word) for word in known] for text in texts], dtype=np.float64)


def vectors(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
    return encode([source for source, _ in pairs])


def given_lists(pairs: list[tuple[str, str]], seed: int) -> list[list[tuple[str, float]]]:
    return [[(text, values["score"]) for text, values in own] for own in small_lists.lists(pairs, seed)]


def test_functions_and_arrays_give_the_same_choices() -> None:
    options = RerankOptions(features="memory", classifier="lr")
    sources, lists = [source for source, _ in TEST], given_lists(TEST, 5)
    known = [source for source, _ in DEV], given_lists(DEV, 4), [target for _, target in DEV]
    by_function = graphmt.rerank(sources, lists, None, TRAIN, options, dev=DevSet(*known), vectors=encode)
    dev = DevSet(*known, vectors=vectors(DEV))
    arrays = graphmt.rerank(sources, lists, None, TRAIN, options, dev=dev, vectors=(vectors(TEST), vectors(TRAIN)))
    assert by_function == arrays
    assert sum(choice.best == target for choice, (_, target) in zip(arrays, TEST, strict=True)) > 25
    with pytest.raises(OptionError, match="vectors need weights tuned on a development set"):
        graphmt.rerank(sources, lists, None, TRAIN, options, vectors=encode)
    with pytest.raises(OptionError, match="vectors apply to the features memory"):
        graphmt.rerank(sources, lists, None, TRAIN, options.replace(features="gc"), dev=dev, vectors=encode)
    with pytest.raises(InputError, match="149 vectors for the 150 pairs"):
        wrong = (vectors(TEST), vectors(TRAIN)[1:])
        graphmt.rerank(sources, lists, None, TRAIN, options, dev=dev, vectors=wrong)


def test_files_of_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small_lists.write(tmp_path, "dev", DEV, small_lists.lists(DEV, 4))
    small_lists.write(tmp_path, "test", TEST, small_lists.lists(TEST, 5))
    memory = [*TRAIN, *DEV]
    Path("memory.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in memory), "utf-8")
    for name, pairs in (("memory", memory), ("dev", DEV), ("test", TEST)):
        np.save(f"{name}.npy", vectors(pairs).astype(np.float32))

    def rerank(*more: str) -> tuple[int, str]:
        files = ("test.nbest", "--source", "test.de", "--memory", "memory.tsv", "--no-header")
        done = CliRunner().invoke(app, ["rerank", *files, *more])
        return done.exit_code, done.stderr if done.exception is None else str(done.exception)

    own = ("--vectors", "test.npy", "--memory-vectors", "memory.npy")
    tuned = ("--dev", "dev.nbest", "dev.de", "--self-tune", "--features", "memory", "--classifier", "lr")
    # The pairs held out for tuning are not among the neighbours of tuning, but among those of the result.
    code, said = rerank(*own, *tuned, "--dev-vectors", "dev.npy", "--save", "saved", "--out", "out")
    assert code == 0 and "held out for tuning" in said
    right = sum(line == target for line, (_, target) in zip(Path("out").read_text().splitlines(), TEST, strict=True))
    assert right > 25
    code, _ = rerank(*own, "--weights", "saved", "--out", "again", "--explain", "why.txt")
    assert code == 0 and Path("again").read_bytes() == Path("out").read_bytes()
    assert "of the nearest by vectors" in Path("why.txt").read_text("utf-8")
    for more, wanted in (
        (("--weights", "saved"), "were fitted to sentences with vectors"),
        (("--vectors", "test.npy"), "give all of these or none"),
        ((*own, *tuned), "--vectors, --memory-vectors, --dev-vectors: give all"),
        ((*own, "--dev-vectors", "dev.npy"), "--dev-vectors applies to --dev"),
        (own, "vectors need weights tuned"),
        (("--vectors", "dev.npy", "--memory-vectors", "memory.npy", "--weights", "saved"), "40 vectors for 30 sent"),
    ):
        code, said = rerank(*more)
        assert code != 0 and wanted in said, said
