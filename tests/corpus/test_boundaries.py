"""Calibrated constants of recasing at their boundaries: just below, at and just above."""

from __future__ import annotations

import pytest
from graphmt.corpus.recasing import learn_recaser


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
