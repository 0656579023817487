"""Any text can be drawn: pictures and pages are well formed whatever characters words have."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from graphmt.draw import RuleNode, TreePicture, arcs_svg
from graphmt.draw.elements import element
from graphmt.draw.markup import escape, quoteattr, visible
from graphmt.draw.neighbours import Neighbour, neighbours_svg
from graphmt.draw.plot import Series, bar_chart, line_chart
from graphmt.evaluate.report.page import table, write_page
from hypothesis import example, given
from hypothesis import strategies as st

#: Every kind of character, among them halves of surrogate pairs, and often those that documents may not have.
words = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\x00\x01\x08\t\n\x0b\x0c\r\x1b\x1f\x7f\x85\x9f\ud800\udfff\ufffe\uffff<&>\"'"),
    ),
    min_size=1,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 日本 \U0001f600", "plain 日本 \U0001f600"),
        ("\x00\x1b\r\x7f", "␀␛␍␡"),
        ("a\tb\nc", "a\tb\nc"),
        ("\x85\ud83d\udcff\ufffe\uffff", "\ufffd" * 5),
    ],
)
def test_forbidden_characters_become_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(words)
def test_text_comes_back_as_it_is_shown(text: str) -> None:
    read = ElementTree.fromstring(f"<a b={quoteattr(text)}>{escape(text)}</a>".encode())
    assert read.text == read.get("b") == visible(text)


@given(words, words)
@example("\x00", "\ud800")
def test_pictures_of_any_words_are_well_formed(one: str, other: str) -> None:
    made = [
        arcs_svg([one, other], [-1, 0], [other, one], upos=[one, other], target=[other], alignment=[(0, 0)]),
        TreePicture([one], [other], [RuleNode((0,), (0,))]).svg,
        neighbours_svg(one, other, [Neighbour(one, other, 0.5, 1.0)]),
        line_chart([Series(one, [0, 1], [0, 1])], title=other),
        bar_chart([Series(one, [0, 1], [1, 2])], title=other, x_names=[one, other]),
    ]
    for svg in made:
        ElementTree.fromstring(svg.encode())


@given(words)
@example("\x00\ud800\uffff")
def test_pages_of_any_words_are_well_formed(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "page.html"
    write_page(path, text, element("p", text, title=text), [("one", table([text], [[text]]))], text)
    ElementTree.fromstring(path.read_text("utf-8").removeprefix("<!DOCTYPE html>\n"))
