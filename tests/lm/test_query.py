from __future__ import annotations

import math
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from amounts import examples
from graphmt import _core
from graphmt.errors import InputError
from graphmt.lm import LanguageModel, load
from graphmt.lm.model import Perplexity
from hypothesis import given, settings
from hypothesis import strategies as st

from . import naive
from .conftest import core_train, random_text

# Frequent words make long n-grams, w55 and w59 rare ones, zzz is unknown.
sentences = st.lists(st.sampled_from(["w0", "w1", "w2", "w3", "w55", "w59", "zzz", "<unk>"]), max_size=12)


@pytest.fixture(scope="session")
def by_definition(trained: tuple[LanguageModel, Path]) -> naive.Model:
    return naive.read_arpa(trained[1])


@settings(max_examples=examples(300), deadline=None)
@given(words=sentences, bos=st.booleans(), eos=st.booleans())
def test_states_change_no_score(
    trained: tuple[LanguageModel, Path], by_definition: naive.Model, words: list[str], bos: bool, eos: bool
) -> None:
    model = trained[0]
    history = ["<s>"] if bos else []
    found = model.full_scores(" ".join(words), bos, eos)
    assert [w.word for w in found] == words + ["</s>"] * eos
    for word in found:
        log10, length = naive.word_score(by_definition, history, word.word, model.order)
        assert word.log10 == pytest.approx(log10, abs=1e-5)
        assert word.length == length
        assert word.unknown == (word.word in ("zzz", "<unk>"))
        history.append(word.word)
    assert model.score(" ".join(words), bos, eos) == pytest.approx(sum(w.log10 for w in found), abs=1e-5)


@settings(max_examples=examples(200), deadline=None)
@given(words=sentences, bos=st.booleans())
def test_a_state_is_the_longest_context_of_the_model(
    trained: tuple[LanguageModel, Path], by_definition: naive.Model, words: list[str], bos: bool
) -> None:
    model = trained[0]
    contexts = {gram[:-1] for gram in by_definition}
    history = ["<s>"] * bos + [w if w in model else "<unk>" for w in words]
    longest = max(n for n in range(model.order) if n == 0 or (n <= len(history) and tuple(history[-n:]) in contexts))
    kept = [model._core.word(number) for number in model._core.state_words(" ".join(words), bos)]
    assert kept == history[::-1][:longest]


def pieces_of(words: list[str], source: random.Random, start: bool) -> list[list[int | str]]:
    """A random tree over words: each piece a list of words and of earlier pieces."""
    pieces: list[list[int | str]] = []

    def cover(low: int, high: int) -> int:
        parts = source.randint(1, 4)
        cuts = sorted(source.randint(low, high) for _ in range(parts - 1))
        piece: list[int | str] = []
        for first, last in zip([low, *cuts], [*cuts, high], strict=True):
            if last - first > 1 and source.random() < 0.7:
                # Never the whole again, so that it ends.
                if (first, last) == (low, high):
                    middle = source.randint(low + 1, high - 1)
                    piece += [cover(low, middle), cover(middle, high)]
                else:
                    piece.append(cover(first, last))
            elif source.random() < 0.3:
                piece.append(cover(first, last)) if last - first == 1 and high - low > 1 else piece.extend(
                    words[first:last]
                )
            else:
                piece.extend(words[first:last])
        pieces.append(piece)
        return len(pieces) - 1

    cover(0, len(words))
    if start:
        # As glue rules do: <s> alone, then the rest joined to it.
        whole = len(pieces) - 1
        pieces.append(["<s>"])
        pieces.append([len(pieces) - 1, whole, "</s>"])
    return pieces


@settings(max_examples=examples(400), deadline=None)
@given(words=sentences, seed=st.integers(0, 2**32), start=st.booleans())
def test_pieces_and_joins_sum_to_the_sentence(
    trained: tuple[LanguageModel, Path], words: list[str], seed: int, start: bool
) -> None:
    model = trained[0]
    pieces = pieces_of(words, random.Random(seed), start)
    assert model._core.score_pieces(pieces) == pytest.approx(
        model.score(" ".join(words), bos=start, eos=start), abs=2e-5
    )


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_pieces_at_every_order(tmp_path: Path, order: int) -> None:
    text = random_text(order, 150, 12)
    core_train(text, tmp_path / "m.lm", order=order, prune=[0, 1] if order == 3 else [])
    model = load(tmp_path / "m.lm")
    source = random.Random(order)
    for line in text.splitlines() + [f"{line} zzz {line}" for line in text.splitlines()]:
        pieces = pieces_of(line.split(), source, True)
        assert model._core.score_pieces(pieces) == pytest.approx(model.score(line), abs=5e-5)


def test_batches_are_the_single_scores(trained: tuple[LanguageModel, Path]) -> None:
    model = trained[0]
    lines = [*random_text(11, 500, 70).splitlines(), "", "  ", "ünknown wörds"]
    expected = np.array([model.score(line) for line in lines])
    for threads in (0, 1, 2, 3):
        scores = model.score_lines(lines, threads)
        assert scores.dtype == np.float64
        assert scores.tolist() == expected.tolist()
    columns = model.line_scores(lines)
    assert columns.tokens.tolist() == [len(line.split()) + 1 for line in lines]
    assert columns.unknown.tolist() == [sum(w not in model for w in line.split()) for line in lines]
    assert model.score_lines([]).shape == (0,)


def test_a_perplexity_beyond_all_numbers() -> None:
    assert Perplexity(1, 1, 0, -400.0, 0.0).perplexity == float("inf")
    assert "perplexity inf" in str(Perplexity(1, 1, 0, -1e30, 0.0))


def test_perplexity(trained: tuple[LanguageModel, Path], tmp_path: Path) -> None:
    model = trained[0]
    lines = ["w0 w1 zzz", "", "w3"]
    words = [word for line in lines for word in model.full_scores(line)]
    found = model.perplexity(lines)
    known = [word.log10 for word in words if not word.unknown]
    assert (found.sentences, found.tokens, found.unknown) == (3, 7, 1)
    assert found.log10 == pytest.approx(sum(word.log10 for word in words))
    assert found.perplexity == pytest.approx(10 ** (-sum(word.log10 for word in words) / 7))
    assert found.perplexity_known == pytest.approx(10 ** (-sum(known) / 6))
    (tmp_path / "t").write_text("\n".join(lines) + "\n")
    assert model.perplexity(tmp_path / "t") == found
    with pytest.raises(InputError, match="no sentences"):
        model.perplexity([])
    assert math.isnan(model.perplexity([""]).plus(model.line_scores([])).perplexity) is False


def test_a_model_can_be_pickled_and_shown(trained: tuple[LanguageModel, Path]) -> None:
    model = trained[0]
    again = pickle.loads(pickle.dumps(model))
    assert again.score("w0 w1") == model.score("w0 w1")
    assert "order=4" in repr(model)


def test_measuring_scores_every_word(trained: tuple[LanguageModel, Path]) -> None:
    model = trained[0]
    lines = random_text(12, 50, 70).splitlines()
    for ahead in (False, True):
        made = model._core.measure(lines, 2, ahead)
        assert made.queries == 2 * sum(len(line.split()) + 1 for line in lines)
        assert made.total == pytest.approx(2 * model.score_lines(lines).sum())


def test_pieces_must_be_there(trained: tuple[LanguageModel, Path]) -> None:
    with pytest.raises(IndexError):
        trained[0]._core.score_pieces([[3]])
    assert _core.LanguageModel(str(trained[0].path)).score_pieces([]) == 0
