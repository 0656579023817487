"""The limit of nested messages: just below, at and just above."""

from __future__ import annotations

import pytest
from graphmt.localisation.messages import Message
from graphmt.protect import GROUPS, Recogniser


@pytest.mark.parametrize(("depth", "translated"), [(3, True), (4, True), (5, False)])
def test_messages_are_translated_four_plurals_deep(depth: int, translated: bool) -> None:
    """Deeper ones stay as they are."""
    text = "One file was deleted"
    for k in range(depth):
        text = f"{{n{k}, plural, other {{{text}.}}}}"
    found = Message(text, Recogniser(tuple(GROUPS))).sentences
    assert found == (["One file was deleted."] if translated else [])
