"""Comparisons of plain lines, without files."""

from __future__ import annotations

import pytest
from graphmt.errors import InputError
from graphmt.evaluate import Compared, EvaluateOptions, Output, compare


def test_plain_lines_by_name_of_their_system() -> None:
    old, new = ["a b c d e f"] * 4, ["a b c d e g"] * 4
    options = EvaluateOptions(samples=20, trials=20)
    plain = compare({"old": old, "new": new}, old, options)
    full = [Compared(name, (Output(name, tuple(lines)),)) for name, lines in (("old", old), ("new", new))]
    assert plain.scores == compare(full, [("the reference", old)], options).scores
    for wrong in ({"old": "a b"}, {"old": old, "new": "a b"}):
        with pytest.raises(InputError, match="one text; a list of sentences was expected"):
            compare(wrong, old, options)
    with pytest.raises(InputError, match="one text; a list of sentences was expected"):
        compare({"old": old}, "a b", options)
