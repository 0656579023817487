"""Calibrated constants of recasing at their boundaries: just below, at and just above."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from graphmt.corpus import CleanOptions, clean, read_pairs, statistics
from graphmt.corpus.raw_text import is_tokenised
from graphmt.corpus.recasing import learn_recaser
from graphmt.errors import InputError


@pytest.mark.parametrize(("seen", "form"), [(1, "essen"), (2, "Essen"), (3, "Essen")])
def test_a_neighbour_decides_if_it_was_seen_twice(seen: int, form: str) -> None:
    recaser = learn_recaser(["Für das Essen"] * seen + ["Wir essen hier"] * 9)
    assert recaser.apply("das essen") == f"das {form}"


@pytest.mark.parametrize(("capital", "form"), [(79, "essen"), (80, "Essen"), (81, "Essen")])
def test_a_neighbour_decides_with_eight_tenths_of_one_form(capital: int, form: str) -> None:
    lines = ["Für das Essen"] * capital + ["Für das essen"] * (100 - capital) + ["Wir essen hier"] * 200
    assert learn_recaser(lines).apply("das essen") == f"das {form}"


@pytest.mark.parametrize(("capitals", "starts"), [(4, False), (5, True), (6, True)])
def test_half_of_the_sentences_start_with_a_capital(capitals: int, starts: bool) -> None:
    lines = ["Das Haus ist alt ."] * capitals + ["das Haus ist alt ."] * (10 - capitals)
    assert learn_recaser(lines).starts is starts


@pytest.mark.parametrize(("attached", "tokenised"), [(2, True), (3, True), (4, False)])
def test_text_is_raw_if_more_marks_are_attached_than_not(attached: int, tokenised: bool) -> None:
    assert is_tokenised(["a word."] * attached + ["a word ."] * 3) is tokenised


@pytest.mark.parametrize(("before", "tokenised"), [(1996, False), (1997, False), (1998, True)])
def test_the_first_two_thousand_characters_of_a_text_show_it(before: int, tokenised: bool) -> None:
    """A full stop attached to a word, after so many characters and two letters."""
    assert is_tokenised(["a" * before + "bc."]) is tokenised


@pytest.mark.parametrize(
    ("words", "group"),
    [
        (1, "1-5"),
        (5, "1-5"),
        (6, "6-10"),
        (10, "6-10"),
        (11, "11-20"),
        (20, "11-20"),
        (21, "21-40"),
        (40, "21-40"),
        (41, "41-80"),
        (80, "41-80"),
        (81, "81 or more"),
    ],
)
def test_groups_of_sentence_lengths(tmp_path: Path, words: int, group: str) -> None:
    (tmp_path / "text").write_text("w " * words + "\n", "utf-8")
    side = statistics(tmp_path / "text").sides[0]
    assert [name for name, number in side.lengths.items() if number] == [group]


@pytest.mark.parametrize(("forms", "refused"), [(31, False), (32, False), (33, True)])
def test_messages_have_up_to_32_plural_forms(tmp_path: Path, forms: int, refused: bool) -> None:
    lines = ['msgid "a"', 'msgid_plural "b"', *(f'msgstr[{k}] "c"' for k in range(forms))]
    (tmp_path / "a.po").write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(InputError, match="32") if refused else contextlib.nullcontext():
        assert len(list(read_pairs(tmp_path / "a.po"))) > 0


@pytest.mark.parametrize(("dropped", "listed"), [(4, "1, 2, 3, 4"), (5, "1, 2, 3, 4, 5"), (6, "1, 2, 3, 4, 5, ...")])
def test_a_report_of_cleaning_lists_five_pairs(tmp_path: Path, dropped: int, listed: str) -> None:
    (tmp_path / "s").write_text("same\n" * dropped, "utf-8")
    files = {"out_source": tmp_path / "so", "out_target": tmp_path / "to"}
    report = clean(tmp_path / "s", tmp_path / "s", **files, options=CleanOptions(drop_copies=True))
    assert report.dropped == {"copy": dropped}
    table = report.table()
    assert list(table.columns[3].cells) == [listed]
