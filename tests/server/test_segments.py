"""Texts as sentences."""

from __future__ import annotations

import pytest
from graphmt.server.segments import Segments
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Eins. Zwei! Drei? Vier", ["Eins.", "Zwei!", "Drei?", "Vier"]),
        ("Am 3. Mai kam Dr. Maier, z. B. heute.", ["Am 3. Mai kam Dr. Maier, z. B. heute."]),
        ("„Komm!“ Er kam.", ["„Komm!“", "Er kam."]),
        ("Das ist gut... oder nicht.", ["Das ist gut... oder nicht."]),
        ("See https://a.example/b.C and {a. B}. Then go.", ["See https://a.example/b.C and {a. B}.", "Then go."]),
        ("他睡觉。她不睡！", ["他睡觉。", "她不睡！"]),
        ("eins\nzwei\r\n\r\ndrei", ["eins", "zwei", "drei"]),
        ("", []),
        (" \n--- \n", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert Segments(text).sentences == sentences


def test_lines_only() -> None:
    assert Segments("Eins . Zwei .\nDrei", lines_only=True).sentences == ["Eins . Zwei .", "Drei"]


@given(st.text(alphabet=st.sampled_from("aB1 .!?\n\t“{}<>。\u2028é"), max_size=60), st.booleans())
def test_nothing_is_lost(text: str, lines_only: bool) -> None:
    found = Segments(text, lines_only=lines_only)
    assert found.joined(found.sentences) == text
    assert all(one == one.strip() and one for one in found.sentences)
