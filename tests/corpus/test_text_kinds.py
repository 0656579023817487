"""Raw and tokenised text are told apart, and training prepares each as it needs."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from graphmt.corpus import Tokeniser, kind_of_files, kind_of_text
from graphmt.training import SidesOptions, TrainOptions
from graphmt.training.text_kinds import with_settled_sides

RAW = {
    "en": ["He said: “Come in!”", "Is it far (from here)?", "No, it isn't.", "U.S. officials agreed, finally."],
    "de": ["Er sagte: „Komm!“", "Ist es weit?", "Nein, das glaube ich nicht.", "Zum Beispiel, ja."],
    "fr": ["Il dit : « Entrez ! »", "Non, ce n'est pas loin.", "Oui, bien sûr.", "Peut-être, mais quand ?"],
    "zh": ["他说：“进来！”", "这里离学校远吗？", "我们昨天在公园里看到了一只很大的狗。"],
}


@pytest.mark.parametrize("language", ["en", "de", "fr", "zh"])
def test_both_kinds_of_each_language(language: str) -> None:
    if language == "zh":
        pytest.importorskip("jieba", reason="needs the extra 'chinese'")
    assert kind_of_text(RAW[language]).is_raw
    split = list(map(Tokeniser(language).tokenise, RAW[language]))
    assert kind_of_text(split).name == "tokenised text"


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["Save <b>%s</b> as {name}"], "raw text"),
        (['Delete "%s"'], "raw text"),
        (["save %s as {name} now"], "text without punctuation"),
        (["a small house", "the cat"], "text without punctuation"),
        ([], "text without punctuation"),
        (["the u.s. economy grew 3.5 % to 1,000 .", "e.g. this ..."], "tokenised text"),
        (["&quot; don &apos;t go &quot;"], "tokenised text"),
        (["we , the people , say : no", "he left."], "tokenised text"),
    ],
)
def test_signs(lines: list[str], name: str) -> None:
    assert kind_of_text(lines).name == name


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, lines in (
        ("raw", RAW["en"]),
        ("tokens", [Tokeniser("en").tokenise(line) for line in RAW["en"]]),
        ("words", ["open file", "save"]),
        ("trees.conllu", ["1\ta\t_\t_\t_\t_\t0\troot\t_\t_", ""]),
    ):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "target", "given", "expected"),
    [
        ("raw", "raw", {}, (True, "true", True)),
        ("words", "raw", {}, (True, "true", True)),
        ("trees.conllu", "raw", {}, (True, "true", True)),
        ("tokens", "tokens", {}, (False, "lower", False)),
        ("words", "words", {}, (False, "lower", False)),
        ("trees.conllu", "tokens", {}, (False, "lower", False)),
        # What is said explicitly is done.
        ("raw", "raw", {"case": "none"}, (True, "none", True)),
        ("raw", "raw", {"protect": "none"}, (True, "true", False)),
        ("raw", "raw", {"tokenise": False}, (False, "lower", False)),
        ("tokens", "tokens", {"tokenise": True}, (True, "lower", True)),
        ("tokens", "tokens", {"case": "true"}, (False, "true", False)),
    ],
)
def test_what_training_does(
    files: Path, source: str, target: str, given: dict[str, object], expected: tuple[bool, str, bool]
) -> None:
    stages = TrainOptions.of({"sides": given})
    sides = with_settled_sides(stages, [files / source], [files / target]).sides
    assert (sides.tokenise, sides.case, sides.steps("source").protects) == expected


def test_training_says_what_it_found(files: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with_settled_sides(TrainOptions(), [files / "raw"], [files / "words"])
    assert caplog.messages[-1].startswith("Source: raw text (")
    assert "Target: text without punctuation. Text is tokenised, truecased; variables" in caplog.messages[-1]
    with_settled_sides(TrainOptions(), [files / "trees.conllu"], [files / "tokens"])
    assert caplog.messages[-1].startswith("Source: trees. Target: tokenised text (")
    assert "Used as tokens, in lower case; --raw" in caplog.messages[-1]
    before = len(caplog.messages)
    with_settled_sides(TrainOptions(sides=SidesOptions(tokenise=True)), [files / "raw"], [files / "raw"])
    assert len(caplog.messages) == before


def test_several_files_are_one_side(files: Path) -> None:
    assert kind_of_files([files / "trees.conllu", files / "raw"]).is_raw
    assert kind_of_files([files / "words", files / "tokens"]).name == "tokenised text"
