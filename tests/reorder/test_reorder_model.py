"""Training, the file and what it answers."""

from __future__ import annotations

import math
import random
from pathlib import Path

import naive_blocks
import numpy as np
import pytest
from graphmt.errors import InputError
from graphmt.maxent import fit
from graphmt.reorder import Block, ReorderingModel, ReorderOptions, ReorderReport, train_reordering
from naive_rules import Pair
from small_corpora import write

#: Places of the end words (left source first and last, left target first and last, then right) that conjunctions join.
JOINED = [(0, 4), (0, 5), (1, 4), (1, 5), (2, 6), (2, 7), (3, 6), (3, 7), (0, 2), (1, 3), (4, 6), (5, 7)]


def corpus(number: int = 60) -> list[Pair]:
    """A noun and its adjective change places, whatever the words; now and then nothing does."""
    draw = random.Random(7)
    pairs = []
    for _ in range(number):
        noun, adjective, verb = (draw.choice(words) for words in (("haus", "hund"), ("rot", "alt"), ("ist", "war")))
        source = (noun, adjective, verb)
        links = {(0, 1), (1, 0), (2, 2)} if draw.random() < 0.9 else {(0, 0), (1, 1), (2, 2)}
        target = [""] * 3
        for s, t in links:
            target[t] = source[s].upper()
        pairs.append(Pair(source, (-1, 0, 1), tuple(target), frozenset(links)))
    return pairs


def train(folder: Path, pairs: list[Pair], **options: object) -> tuple[ReorderReport, Path]:
    files = write(folder, pairs)
    out = folder / "reorder.bin"
    made = train_reordering(
        files["source"], files["target"], files["alignment"], out, ReorderOptions.from_mapping(options)
    )
    return made, out


def features(words: tuple[str, ...], conjunctions: bool) -> list[tuple[object, ...]]:
    singles: list[tuple[object, ...]] = [(), *((place, word) for place, word in enumerate(words))]
    joined = [(a, b, words[a], words[b]) for a, b in JOINED] if conjunctions else []
    return singles + joined


@pytest.mark.parametrize("conjunctions", [False, True])
@pytest.mark.parametrize("minimum", [1, 20])
def test_the_file_answers_as_the_classifier_over_the_papers_features(tmp_path, conjunctions, minimum) -> None:
    pairs = corpus()
    exact = {"tolerance": 1e-13, "iterations": 2000, "held_out": 0, "variance": 0.7}
    report, out = train(tmp_path, pairs, conjunctions=conjunctions, minimum_count=minimum, **exact)
    examples = [one for pair in pairs for one in naive_blocks.examples(pair, 7).elements()]
    rows = [features(one.left + one.right, conjunctions) for one in examples]
    seen: dict[tuple[object, ...], int] = {}
    for row in rows:
        for feature in row:
            seen[feature] = seen.get(feature, 0) + 1
    numbers = {feature: n for n, feature in enumerate(f for f, count in seen.items() if count >= minimum)}
    assert report.features == len(numbers)
    assert report.examples == report.training.examples == len(examples)
    assert report.training.straight == sum(one.straight for one in examples)
    fitted = fit(
        [[numbers[feature] for feature in row if feature in numbers] for row in rows],
        [one.straight for one in examples],
        features=len(numbers),
        variance=0.7,
        tolerance=1e-13,
        iterations=2000,
    )
    expected = [sum(fitted.weights[numbers[f]] for f in row if f in numbers) for row in rows]
    model = ReorderingModel(out)
    blocks = [(Block(one.left[:2], one.left[2:]), Block(one.right[:2], one.right[2:])) for one in examples]
    np.testing.assert_allclose(model.log_odds(blocks), expected, atol=2e-4)
    right = sum((odds >= 0) == one.straight for odds, one in zip(expected, examples, strict=True))
    assert report.training.accuracy == pytest.approx(right / len(examples))
    signed = [odds if one.straight else -odds for odds, one in zip(expected, examples, strict=True)]
    likelihood = sum(-math.log1p(math.exp(-value)) for value in signed) / len(signed)
    assert report.training.log_likelihood == pytest.approx(likelihood, abs=1e-4)


def test_what_it_learns_makes_sense(tmp_path) -> None:
    report, out = train(tmp_path, corpus(400))
    model = ReorderingModel(out)
    noun, adjective = Block(["hund"], ["HUND"]), Block(["rot"], ["ROT"])
    assert model.straight(noun, adjective) == pytest.approx(0.1, abs=0.05)
    both = Block(["hund", "rot"], ["ROT", "HUND"])
    assert model.straight(both, Block(["ist"], ["IST"])) > 0.95
    assert 0 < report.held_out.examples < report.training.examples / 5
    assert report.held_out.accuracy > 0.85
    assert model.weights("rot")["right source first"] < 0 == model.weights("rot")["left target last"]
    assert model.weights("nirgends") == dict.fromkeys(model.weights("rot"), 0.0)
    assert model.about["examples"] == report.examples


def test_words_never_seen_get_what_is_usual(tmp_path) -> None:
    _, out = train(tmp_path, corpus())
    unknown = Block(["x"], ["y"])
    odds = ReorderingModel(out).log_odds([(unknown, unknown), (Block(["x", "y"], ["z"]), unknown)])
    assert odds[0] == odds[1] != 0


@pytest.mark.parametrize("conjunctions", [False, True])
def test_threads_change_no_byte(tmp_path, conjunctions) -> None:
    models = []
    for threads in (1, 2):
        (tmp_path / str(threads)).mkdir()
        _, out = train(tmp_path / str(threads), corpus(3000), threads=threads, conjunctions=conjunctions)
        models.append(out.read_bytes())
    assert models[0] == models[1]


def test_a_sample_when_there_are_too_many(tmp_path) -> None:
    report, _ = train(tmp_path, corpus(2000), max_examples=1000)
    assert 400 < report.training.examples <= 1000 < report.examples


def test_evaluate_is_what_training_says_of_its_own_examples(tmp_path) -> None:
    report, out = train(tmp_path, corpus(), held_out=0)
    files = [tmp_path / name for name in ("source", "target", "alignment")]
    again = ReorderingModel(out).evaluate(*files)
    assert again.examples == report.training.examples
    assert again.log_likelihood == pytest.approx(report.training.log_likelihood, abs=1e-9)
    assert again.inverted == report.training.inverted > 0


def test_nothing_to_learn_from(tmp_path) -> None:
    empty = [Pair(("a", "b"), (-1, 0), ("x",), frozenset())]
    with pytest.raises(InputError, match=r"alignment: no adjacent blocks .* The alignment may be empty"):
        train(tmp_path, empty)
    assert not (tmp_path / "reorder.bin").exists()


def test_damaged_files_are_refused(tmp_path) -> None:
    _, out = train(tmp_path, corpus())
    whole = out.read_bytes()
    for part in (b"", whole[:100], whole[:-1]):
        out.write_bytes(part)
        with pytest.raises(InputError, match=r"not a graphmt reordering model|is damaged|is empty"):
            ReorderingModel(out)
    out.write_bytes(whole[:8] + bytes([whole[8] + 1]) + whole[9:])
    with pytest.raises(InputError, match=r"newer than the 2 known here. Update graphmt"):
        ReorderingModel(out)
    changed = bytearray(whole)
    changed[-5] ^= 1
    out.write_bytes(changed)
    with pytest.raises(InputError, match="is damaged: its checksums do not add up"):
        ReorderingModel(out)
    out.write_bytes(whole)
    ReorderingModel(out).verify()


def test_a_block_needs_words(tmp_path) -> None:
    _, out = train(tmp_path, corpus())
    with pytest.raises(InputError, match="a block without words"):
        ReorderingModel(out).straight(Block([], ["x"]), Block(["a"], ["b"]))
