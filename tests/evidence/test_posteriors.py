"""From a memory and lists to candidate features, files and explanations."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import naive_evidence
import numpy as np
import pytest
from graphmt import _core
from graphmt.errors import InputError
from graphmt.evidence import FEATURES, CandidatePlace, EvidenceOptions, NgramPosteriors, SentenceLists, make_index
from graphmt.evidence.posteriors import make_rows

#: A word is translated by itself in upper case, but "b" before "c" is lost.
WORDS = ["a", "b", "c", "d", "e", "f"]


def translated(words: list[str]) -> list[str]:
    kept = [w for w, after in zip(words, [*words[1:], ""], strict=True) if (w, after) != ("b", "c")]
    return [word.upper() for word in kept]


def sentences(number: int, seed: int) -> list[tuple[list[str], list[str]]]:
    chance = random.Random(seed)
    sources = [[chance.choice(WORDS) for _ in range(chance.randint(2, 7))] for _ in range(number)]
    return [(source, translated(source)) for source in sources]


def lists(number: int, seed: int) -> SentenceLists:
    """The right translation among wrong ones, in random order."""
    chance = random.Random(seed + 1)
    sources, candidates, references = [], [], []
    for source, target in sentences(number, seed):
        literal = [word.upper() for word in source]
        wrong = [[chance.choice("ABCDEF") if chance.random() < 0.3 else word for word in target] for _ in range(4)]
        own = list(dict.fromkeys(" ".join(words) for words in (target, literal, *wrong)))
        chance.shuffle(own)
        sources.append(" ".join(source))
        candidates.append(own)
        references.append([" ".join(target)])
    return SentenceLists(sources, candidates, references=references)


OPTIONS = EvidenceOptions(lowercase=False, trees=30, leaf_rows=5, folds=3)


@pytest.fixture(scope="module")
def index() -> _core.MemoryIndex:
    return make_index([(" ".join(source), " ".join(target)) for source, target in sentences(400, 1)], OPTIONS)


@pytest.fixture(scope="module")
def dev() -> SentenceLists:
    return lists(120, 50)


@pytest.fixture(scope="module")
def fitted(index: _core.MemoryIndex, dev: SentenceLists) -> NgramPosteriors:
    return NgramPosteriors.fit(index, dev, OPTIONS)[0]


def accuracy(given: SentenceLists, features: np.ndarray) -> float:
    """How often the sum of all n-grams, less half an n-gram for each, is largest for the right candidate."""
    assert given.references is not None
    start, right = 0, 0
    for own, [reference] in zip(given.candidates, given.references, strict=True):
        lengths = np.array([[max(0, len(one.split()) - order) for order in range(4)] for one in own])
        scores = (features[start : start + len(own)] - 0.5 * lengths).sum(axis=1)
        right += own[int(scores.argmax())] == reference
        start += len(own)
    return right / len(given.sources)


@pytest.mark.parametrize("classifier", ["lr", "gb"])
def test_the_right_candidates_are_found(index: _core.MemoryIndex, dev: SentenceLists, classifier: str) -> None:
    posteriors, cross_fitted = NgramPosteriors.fit(index, dev, OPTIONS.replace(classifier=classifier))
    assert cross_fitted.shape == (sum(map(len, dev.candidates)), len(FEATURES))
    new = lists(80, 90)
    guess = sum(1 / len(own) for own in new.candidates) / len(new.candidates)
    assert guess < 0.35
    assert accuracy(dev, cross_fitted) > 0.7
    assert accuracy(new, posteriors.candidate_features(new)) > 0.7


def test_sums_are_over_distinct_ngrams(index: _core.MemoryIndex, dev: SentenceLists, fitted: NgramPosteriors) -> None:
    rows = make_rows(index, dev, OPTIONS)
    probabilities = fitted.predictor.probabilities(rows)
    sums = rows.sums(probabilities)
    for order in (1, 2, 3, 4):
        starts, words = rows.starts(order).tolist(), rows.ngrams(order)
        p, candidate = probabilities.of_order(order).tolist(), 0
        for sentence, own in enumerate(dev.candidates):
            at = slice(starts[sentence], starts[sentence + 1])
            known = dict(zip(words[at], p[at], strict=True))
            for one in own:
                distinct = naive_evidence.ngrams(one.split(), order)
                assert sums[candidate, order - 1] == pytest.approx(sum(known[" ".join(g)] for g in distinct), rel=1e-5)
                candidate += 1


def test_a_sentence_has_no_part_in_its_own_cross_fitted_features(index: _core.MemoryIndex) -> None:
    """A wrong reference of one sentence changes the predictions of all folds but its own."""
    first = lists(60, 7)
    assert first.references is not None
    changed = SentenceLists(first.sources, first.candidates, references=[["Z"], *first.references[1:]])
    one, other = (
        _core.cross_fit_ngrams(make_rows(index, given, OPTIONS), OPTIONS).of_order(1) for given in (first, changed)
    )
    starts = make_rows(index, first, OPTIONS).starts(1).tolist()
    differs = [not np.array_equal(one[a:b], other[a:b]) for a, b in itertools.pairwise(starts)]
    assert not any(differs[::3])
    assert all(differs[1::3]) and all(differs[2::3])


@pytest.mark.parametrize("classifier", ["lr", "gb"])
def test_a_saved_predictor_predicts_the_same(
    index: _core.MemoryIndex, dev: SentenceLists, tmp_path: Path, classifier: str
) -> None:
    options = OPTIONS.replace(classifier=classifier)
    posteriors, _ = NgramPosteriors.fit(index, dev, options)
    posteriors.save(tmp_path / "predictor")
    opened = NgramPosteriors.open(tmp_path / "predictor", index, options)
    new = lists(30, 60)
    assert opened.candidate_features(new).tobytes() == posteriors.candidate_features(new).tobytes()
    opened.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "predictor").read_bytes()


def test_damaged_files_are_rejected(fitted: NgramPosteriors, tmp_path: Path) -> None:
    path = tmp_path / "predictor"
    fitted.save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 997):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(InputError, match="predictor"):
            _core.NgramPredictor.open(path)
    path.write_bytes(whole[:-1])
    with pytest.raises(InputError, match="predictor"):
        _core.NgramPredictor.open(path)


def test_one_thread_and_three_give_the_same_bytes(dev: SentenceLists, tmp_path: Path) -> None:
    made = []
    for threads in (1, 3):
        options = OPTIONS.replace(threads=threads)
        index = make_index([(" ".join(source), " ".join(target)) for source, target in sentences(400, 1)], options)
        rows = make_rows(index, dev, options)
        posteriors, cross_fitted = NgramPosteriors.fit(index, dev, options)
        posteriors.save(tmp_path / str(threads))
        features = [rows.features(order).tobytes() for order in (1, 2, 3, 4)]
        made.append((features, cross_fitted.tobytes(), (tmp_path / str(threads)).read_bytes()))
    assert made[0] == made[1]


def test_identical_sources_are_skipped_as_if_they_were_not_there() -> None:
    """With small samples left-out pairs are dropped after sampling, so the samples here hold all occurrences."""
    pairs = [(" ".join(source), " ".join(target)) for source, target in sentences(100, 3)]
    own = lists(1, 3)
    assert own.sources[0] == pairs[0][0]
    options = OPTIONS.replace(sample=1000, skip_identical=True)
    found = make_rows(make_index(pairs, options), own, options)
    others = [pair for pair in pairs if pair[0] != own.sources[0]]
    wanted = make_rows(make_index(others, options), own, options)
    for order in (1, 2, 3, 4):
        assert found.features(order).tobytes() == wanted.features(order).tobytes()


def test_an_explanation_names_pairs_that_have_both_ngrams(index: _core.MemoryIndex, fitted: NgramPosteriors) -> None:
    new = lists(10, 70)
    rows = make_rows(index, new, OPTIONS)
    probabilities = fitted.predictor.probabilities(rows)
    for sentence in range(10):
        candidate = new.candidates[sentence][1]
        found = fitted.explain(new, CandidatePlace(sentence, 1))
        words = candidate.split()
        wanted = [" ".join(g) for order in (1, 2, 3, 4) for g in naive_evidence.ngrams(words, order)]
        assert [one.words for one in found] == wanted
        for one in found:
            order = len(one.words.split())
            assert words[one.position : one.position + order] == one.words.split()
            starts = rows.starts(order)
            own = slice(int(starts[sentence]), int(starts[sentence + 1]))
            p = dict(zip(rows.ngrams(order)[own], probabilities.of_order(order)[own].tolist(), strict=True))
            assert one.probability == p[one.words]
            for neighbour in one.neighbours:
                assert naive_evidence.has(index.pair(neighbour.pair).target.split(), tuple(one.words.split()))
            if one.source is not None:
                assert one.source.words in new.sources[sentence]
                assert 0 < len(one.source.pairs) <= one.source.examined <= OPTIONS.sample
                for pair in map(index.pair, one.source.pairs):
                    assert naive_evidence.has(pair.source.split(), tuple(one.source.words.split()))
                    assert naive_evidence.has(pair.target.split(), tuple(one.words.split()))
    with pytest.raises(InputError, match="no candidate 99 of a sentence 0"):
        fitted.explain(new, CandidatePlace(0, 99))


def test_progress_is_reported_and_can_end_the_call(index: _core.MemoryIndex, dev: SentenceLists) -> None:
    told: list[tuple[str, int, int]] = []
    inputs = _core.EvidenceInputs(dev)
    index.rows(inputs, OPTIONS, progress=lambda what, done, total: told.append((what, done, total)))
    assert [(done, total) for _, done, total in told] == [(120, 120)]

    def stop(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.rows(inputs, OPTIONS, progress=stop)


def test_classifiers_need_references(index: _core.MemoryIndex, dev: SentenceLists, fitted: NgramPosteriors) -> None:
    unlabelled = SentenceLists(dev.sources, dev.candidates)
    rows = make_rows(index, unlabelled, OPTIONS)
    for call in (_core.cross_fit_ngrams, _core.NgramPredictor.fit):
        with pytest.raises(InputError, match="rows with labels"):
            call(rows, OPTIONS)
    with pytest.raises(InputError, match="other rows"):
        rows.sums(fitted.predictor.probabilities(make_rows(index, lists(3, 1), OPTIONS)))
