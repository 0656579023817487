"""Splitting and joining words by language."""

from __future__ import annotations

import sys

import pytest
from graphmt.corpus import Tokeniser
from graphmt.errors import MissingPackageError, OptionError
from hypothesis import given
from hypothesis import strategies as st

TABLE = [
    (
        "de",
        'Er sagt: "Wir haben z.B. keine Zeit (heute)."',
        'Er sagt : " Wir haben z.B. keine Zeit ( heute ) . "',
    ),
    ("en", "It isn't Mr. Smith's & <b>, is it?", "It isn 't Mr. Smith 's & < b > , is it ?"),
    ("fr", "L'homme d'à côté.", "L' homme d' à côté ."),
]


@pytest.mark.parametrize(("language", "text", "tokens"), TABLE)
def test_by_hand_and_nothing_is_escaped(language: str, text: str, tokens: str) -> None:
    assert Tokeniser(language).tokenise(text) == tokens


@pytest.mark.parametrize(("language", "text"), [(row[0], row[1]) for row in TABLE if row[0] != "en"])
def test_joining_gives_back_the_text(language: str, text: str) -> None:
    tokeniser = Tokeniser(language)
    assert tokeniser.detokenise(tokeniser.tokenise(text)) == text


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_no_letter_is_lost(text: str) -> None:
    letters = [letter for letter in text if letter.isalnum()]
    assert [letter for letter in Tokeniser("en").tokenise(text) if letter.isalnum()] == letters


def test_several_processes_give_the_same_lines_in_order() -> None:
    lines = [f"Line {number}, with (brackets)." for number in range(4500)]
    tokeniser = Tokeniser("en")
    assert list(tokeniser.tokenise_all(lines, processes=2)) == list(tokeniser.tokenise_all(lines))


def test_chinese(request: pytest.FixtureRequest) -> None:
    pytest.importorskip("jieba", reason="needs the extra 'chinese'")
    tokeniser = Tokeniser("zh")
    tokens = tokeniser.tokenise("我们正在学习 GNU 软件。")
    assert tokens.split()[:3] == ["我们", "正在", "学习"] and "GNU" in tokens.split()
    assert tokeniser.detokenise(tokens) == "我们正在学习 GNU 软件。"


def test_chinese_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    from graphmt.corpus import tokenise

    monkeypatch.setitem(sys.modules, "jieba", None)
    tokenise._splitter.cache_clear()
    with pytest.raises(MissingPackageError, match=r"pip install 'graphmt\[chinese\]'"):
        Tokeniser("zh").tokenise("我们")


def test_languages_that_are_none() -> None:
    with pytest.raises(OptionError, match="not 'German'"):
        Tokeniser("German")
    with pytest.raises(OptionError, match="corpus parse --parser spacy:ja_ginza"):
        Tokeniser("ja").tokenise("猫")
    assert Tokeniser("ja").detokenise("猫 は 寝る 。") == "猫は寝る。"
