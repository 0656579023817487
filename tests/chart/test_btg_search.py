"""BTG without limits against every bracketing (Wu 1997): phrases merged two at a time, straight or inverted."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
from amounts import examples
from graphmt import _core
from graphmt.lm import LanguageModel
from graphmt.reorder import Block, ReorderingModel, ReorderOptions, train_reordering
from graphmt.rules import from_moses
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .grammars import MOST, WEIGHTS, Found, unlimited

BTG_WEIGHTS = {**WEIGHTS, "glue": 0.0, "orientation": 0.8, "distortion": 0.15}

#: Straight and inverted neighbours, so that the model has something to say of both.
TEXT = ["a b c", "b a", "c a b", "a c", "b c a", "c b"]
TRANSLATED = ["A B C", "A B", "A B C", "C A", "A B C", "B C"]
LINKS = ["0-0 1-1 2-2", "0-1 1-0", "0-2 1-0 2-1", "0-1 1-0", "0-1 1-2 2-0", "0-1 1-0"]

Phrase = tuple[tuple[str, ...], tuple[str, ...], tuple[float, ...]]


@pytest.fixture(scope="module")
def reordering(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of a few lines."""
    here = tmp_path_factory.mktemp("reordering")
    for name, rows in (("source", TEXT), ("target", TRANSLATED), ("links", LINKS)):
        (here / name).write_text("".join(row + "\n" for row in rows * 3))
    options = ReorderOptions(held_out=0, minimum_count=1)
    train_reordering(here / "source", here / "target", here / "links", here / "model", options)
    return here / "model"


@st.composite
def phrases(draw: st.DrawFn) -> Phrase:
    """A phrase pair of one or two words."""
    source = tuple(draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=2)))
    target = tuple(draw(st.lists(st.sampled_from("ABCD"), min_size=1, max_size=2)))
    return source, target, tuple(-draw(st.integers(0, 16)) / 8 for _ in range(4))


tables = st.lists(phrases(), min_size=1, max_size=6, unique_by=lambda phrase: phrase[:2])


def enumerated(table: list[Phrase], sentence: list[str], model: ReorderingModel) -> list[Found]:
    """Every derivation of the whole sentence, by the definition."""
    spans: dict[tuple[int, int], list[Found]] = {}
    n = len(sentence)
    for length in range(1, n + 1):
        for first in range(n - length + 1):
            end = first + length
            found = [
                Found(target, tuple(_values(scores, len(target))))
                for source, target, scores in table
                if list(source) == sentence[first:end]
            ]
            if length == 1 and not found:
                own = (("rule_penalty", 1.0), ("unknown", -1.0), ("word_penalty", -1.0))
                found.append(Found((sentence[first],), own))
            for middle in range(first + 1, end):
                for left, right in itertools.product(spans[first, middle], spans[middle, end]):
                    odds = model.log_odds(
                        [(Block(sentence[first:middle], left.words), Block(sentence[middle:end], right.words))]
                    )[0]
                    for straight in (True, False):
                        ln = -math.log1p(math.exp(-odds if straight else odds))
                        words = left.words + right.words if straight else right.words + left.words
                        more = {"orientation": ln, "distortion": 0.0 if straight else -float(length)}
                        for name, value in (*left.values, *right.values):
                            more[name] = more.get(name, 0.0) + value
                        found.append(Found(words, tuple(more.items())))
            spans[first, end] = found
    return spans[0, n]


def _values(scores: tuple[float, ...], words: int) -> list[tuple[str, float]]:
    return [*zip(_core.FEATURES[:4], scores, strict=True), ("rule_penalty", 1.0), ("word_penalty", -float(words))]


def decoder(table: list[Phrase], lm: LanguageModel, reordering: Path, folder: Path, **limits: Any) -> _core.Decoder:
    """A decoder of the phrases, without limits unless given."""
    lines = [
        f"{' '.join(source)} ||| {' '.join(target)} ||| {' '.join(repr(math.exp(s)) for s in scores)} ||| ||| 1 1 1\n"
        for source, target, scores in table
    ]
    (folder / "phrases.txt").write_text("".join(lines))
    from_moses(folder / "phrases.txt", folder / "phrases.bin")
    vector = [BTG_WEIGHTS.get(name, 0.0) for name in _core.FEATURES]
    return _core.Decoder.chart(folder / "phrases.bin", lm.path, vector, unlimited(**limits), reordering=reordering)


@settings(max_examples=examples(80))
@given(tables, st.lists(st.sampled_from("abc"), min_size=1, max_size=4))
def test_every_bracketing(
    lm: LanguageModel, reordering: Path, folder: Path, table: list[Phrase], sentence: list[str]
) -> None:
    every = enumerated(table, sentence, ReorderingModel(reordering))
    assume(len(every) <= MOST)
    scores = sorted((found.score(BTG_WEIGHTS, lm) for found in every), reverse=True)
    made = decoder(table, lm, reordering, folder)
    (listed,) = made.translate([_core.Sentence(sentence)], n_best=MOST + 1, distinct=False, threads=1)
    assert [one.score for one in listed] == pytest.approx(scores, abs=1e-3)


def test_long_sentences_are_joined_in_source_order(lm: LanguageModel, reordering: Path, tmp_path: Path) -> None:
    """With spans of one word nothing can be inverted."""
    table: list[Phrase] = [((word,), (word.upper(),), (0.0,) * 4) for word in "abc"]
    made = decoder(table, lm, reordering, tmp_path, max_span=1)
    (listed,) = made.translate([_core.Sentence(list("cabba"))], n_best=5, distinct=False, threads=1)
    assert [one.tokens for one in listed] == [list("CABBA")]
