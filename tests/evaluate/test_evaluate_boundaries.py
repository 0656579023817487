"""Calibrated constants of comparisons at their boundaries: just below, at and just above."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from graphmt.evaluate import Compared, EvaluateOptions, Output, compare
from graphmt.evaluate.analysis import by_length
from graphmt.evaluate.comparison import Comparison
from graphmt.evaluate.metrics import doubt_tokens
from graphmt.evaluate.movement import movement
from graphmt.evaluate.report import write_report
from graphmt.model import Derivation, Step


def compared(systems: dict[str, list[str]], reference: list[str]) -> Comparison:
    made = [Compared(name, (Output(name, tuple(lines)),)) for name, lines in systems.items()]
    options = EvaluateOptions(metrics=("bleu",), samples=10, trials=10, examples=5)
    return compare(made, [("r", reference)], options)


@pytest.mark.parametrize(("between", "far"), [(4, 0.0), (5, 0.0), (6, 1.0)])
def test_jumps_over_more_than_five_words_are_far(between: int, far: float) -> None:
    links = ((0, 0), (between + 1, 1))
    step = Step((0, between + 1), "basic", None, ("x", "y"), links, 1)
    found = movement([Derivation(tuple("w" * (between + 2)), (), (step,))])
    assert (found.moved, found.far) == (between, far)


@pytest.mark.parametrize(
    ("short", "long", "labels"),
    [
        (19, 40, ["1+"]),
        (20, 40, ["1–5", "6+"]),
        (21, 40, ["1–5", "6+"]),
        (40, 19, ["1+"]),
        (40, 20, ["1–5", "6+"]),
        (40, 21, ["1–5", "6+"]),
    ],
)
def test_groups_by_length_have_twenty_sentences(short: int, long: int, labels: list[str]) -> None:
    texts = ["a b c d e"] * short + ["a b c d e f"] * long
    comparison = compared({"a": texts}, texts)
    assert [group.label for group in by_length(comparison, texts, samples=2)] == labels


@pytest.mark.parametrize("bound", [5, 10, 15, 20, 30, 40])
def test_groups_end_at_rounded_lengths(bound: int) -> None:
    texts = [" ".join(["w"] * length) for length in [bound] * 20 + [bound + 1] * 20]
    comparison = compared({"a": texts}, texts)
    groups = by_length(comparison, texts, samples=2)
    assert [(group.label, group.sentences) for group in groups] == [(f"1–{bound}", 20), (f"{bound + 1}+", 20)]


@pytest.fixture(scope="module")
def two_systems() -> Comparison:
    """The second system is better in each of four sentences."""
    reference = [f"{first} small houses stand in the town today" for first in ("two", "four", "six", "ten")]
    return compared({"a": [f"{line} and now" for line in reference], "b": reference}, reference)


@pytest.mark.parametrize(
    ("p", "shown", "coloured"),
    [
        (0.0009, "&lt; 0.001", True),
        (0.001, "0.001", True),
        (0.049, "0.049", True),
        (0.05, "0.050", False),
        (0.051, "0.051", False),
    ],
)
def test_significant_differences_are_coloured(
    two_systems: Comparison, tmp_path: Path, p: float, shown: str, coloured: bool
) -> None:
    [scores] = two_systems.scores
    first, second = scores.systems
    second = replace(second, p=dict.fromkeys(second.p, p))
    made = replace(two_systems, scores=[replace(scores, systems=(first, second))])
    write_report(tmp_path / "r.html", made)
    page = (tmp_path / "r.html").read_text("utf-8")
    assert f">{shown}</td>" in page and ('<span class="better">' in page) is coloured


def test_three_examples_are_open(two_systems: Comparison, tmp_path: Path) -> None:
    """The derivations of the fourth of the sentences that differ are closed until they are opened."""
    step = Step((0,), "basic", None, ("x",), ((0, 0),), 1)
    derivations = (Derivation(("w",), (), (step,)),) * 4
    systems = [replace(one, runs=(replace(one.runs[0], derivations=derivations),)) for one in two_systems.systems]
    write_report(tmp_path / "r.html", replace(two_systems, systems=tuple(systems)))
    page = (tmp_path / "r.html").read_text("utf-8")
    assert len(re.findall(r"<details\b[^>]*\bopen\b", page)) == 3 and page.count("<summary>Derivations<") == 4


@pytest.mark.parametrize(("lines", "warned"), [(99, False), (100, True), (101, True)])
def test_a_hundred_separate_full_stops_are_tokenised_text(
    lines: int, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    text = ["this is split ."] * lines + ["this is not.", "nor this"]
    doubt_tokens(text, EvaluateOptions())
    assert (f"{lines} lines end in a separate full stop" in caplog.text) is warned
    caplog.clear()
    doubt_tokens(text, EvaluateOptions(tokenise="none"))
    doubt_tokens(text, EvaluateOptions(metrics=("chrf",)))
    assert not caplog.records
