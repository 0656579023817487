"""Declared steps: applied, undone, kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.corpus import TextOptions, TextSteps, Tree
from graphmt.corpus.steps import FILE, process_file
from graphmt.errors import InputError, OptionError
from hypothesis import given
from hypothesis import strategies as st
from random_trees import conllu

TRAIN = ["Das Haus ist groß .", "Er sieht das Haus .", "Heute ruft Das Erste an .", "Und das ist es ."]

words = st.text(st.sampled_from("abcXYZßéÄİσς.!?'\"-1"), min_size=1, max_size=4)
sentences = st.lists(words, max_size=8).map(" ".join)
steps = st.builds(
    lambda case, train: TextSteps(TextOptions(case=case)).fit(train),
    st.sampled_from(["none", "lower", "true"]),
    st.lists(sentences, max_size=5),
)


def test_truecasing_by_hand() -> None:
    fitted = TextSteps(TextOptions(case="true", language="de")).fit(TRAIN)
    assert fitted.casings is not None
    # Twice "das", once "Das"; sentence starts do not count, so "Er", "Und" and "Heute" are not known.
    assert ("das", "Das") in fitted.casings
    assert not {("Er",), ("Und",), ("Heute",)} & set(fitted.casings)
    assert fitted.apply("Das HAUS ist Das Erste .") == "das Haus ist Das Erste ."
    assert fitted.apply("Und das Haus ? Das ist es .") == "Und das Haus ? das ist es ."
    assert fitted.undo("das Haus ? das ist es .") == "Das Haus ? Das ist es ."


def test_from_raw_text_and_back() -> None:
    text = "Das Haus ist groß. Er sieht es (heute)."
    declared = TextSteps(TextOptions(tokenise=True, language="de", case="lower"))
    assert declared.apply(text) == "das haus ist groß . er sieht es ( heute ) ."
    assert declared.undo("das haus ist groß . er sieht es ( heute ) .") == "Das haus ist groß. Er sieht es (heute)."
    assert list(declared.apply_all([text])) == [declared.apply(text)]


@given(st.text())
def test_without_steps_nothing_changes(line: str) -> None:
    nothing = TextSteps()
    assert nothing.fit([line]) == nothing
    assert nothing.apply(line) == line and nothing.undo(line) == line


@given(steps, sentences)
def test_applying_and_undoing_settles_at_once(declared: TextSteps, line: str) -> None:
    once = declared.undo(declared.apply(line))
    assert declared.undo(declared.apply(once)) == once


@given(steps, sentences)
def test_case_never_changes_the_tokens(declared: TextSteps, line: str) -> None:
    changed = declared.apply(line).split()
    assert [token.lower() for token in changed] == [token.lower() for token in line.split()]


@given(steps)
def test_kept_and_loaded_exactly(tmp_path_factory: pytest.TempPathFactory, declared: TextSteps) -> None:
    folder = tmp_path_factory.getbasetemp() / "steps"
    declared.save(folder)
    assert TextSteps.load(folder) == declared


def test_a_corpus_is_a_file_or_its_lines(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("".join(f"{line}\n" for line in TRAIN), encoding="utf-8")
    declared = TextSteps(TextOptions(case="true"))
    assert declared.fit(tmp_path / "t") == declared.fit(str(tmp_path / "t")) == declared.fit(TRAIN)


def test_trees_keep_their_tokens() -> None:
    tree = Tree(("Das", "10 000", "HAUS"), (2, 2, -1))
    fitted = TextSteps(TextOptions(case="true", tokenise=True)).fit(TRAIN)
    assert fitted.apply_tree(tree).forms == ("das", "10_000", "Haus")
    assert TextSteps().apply_tree(tree) is tree


def test_files(tmp_path: Path) -> None:
    trees, out = tmp_path / "a.conllu", tmp_path / "out"
    trees.write_text(conllu("1 Im 2", "2 Haus 0") + conllu("1 das 2", "2 haus 0"))
    declared = TextSteps(TextOptions(tokenise=True, case="true"))
    used = process_file(trees, out, declared)
    # "Haus" and "haus" were seen once each where case counts: the lower-case form is preferred.
    assert out.read_text() == "Im Haus\ndas haus\n"
    assert used.options == declared.options and used.casings == (("haus", "Haus"),)
    process_file(out, tmp_path / "back", used, undo=True)
    assert (tmp_path / "back").read_text() == "Im Haus\nDas haus\n"
    with pytest.raises(OptionError, match="reads its text twice"):
        process_file("-", out, declared)


def test_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="the truecaser has not been trained"):
        TextSteps(TextOptions(case="true")).apply("a")
    with pytest.raises(InputError, match="no text steps:"):
        TextSteps.load(tmp_path)
    for content, words in (
        ("{", "damaged"),
        ("[]", "damaged"),
        ('{"graphmt text steps": 9}', "version 9"),
        ('{"graphmt text steps": 1, "options": {}, "casings": 3}', "damaged"),
    ):
        (tmp_path / FILE).write_text(content)
        with pytest.raises(InputError, match=words):
            TextSteps.load(tmp_path)
    with pytest.raises(OptionError, match="case cannot be 'Lower'"):
        TextOptions(case="Lower")
