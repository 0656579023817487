"""Charts: right places, well-formed, readable without seeing them."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest
from graphmt.draw.plot import Series, bar_chart, line_chart, point_chart, ticks
from hypothesis import given
from hypothesis import strategies as st

SVG = "{http://www.w3.org/2000/svg}"
numbers = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 4))


@given(numbers, numbers, st.integers(2, 10))
def test_ticks_are_even_and_enclose(one, other, most) -> None:
    low, high = sorted((one, other))
    found = ticks(low, high, most)
    slack = 2e-9 * (found[1] - found[0])
    assert found[0] <= low + slack and found[-1] >= high - slack
    assert 2 <= len(found) <= most + 3
    steps = [after - before for before, after in itertools.pairwise(found)]
    assert all(step == pytest.approx(steps[0]) for step in steps)


def test_ticks_by_hand() -> None:
    assert ticks(28.7, 41.2) == [27.5, 30.0, 32.5, 35.0, 37.5, 40.0, 42.5]
    assert ticks(0, 100, 5) == [0, 20, 40, 60, 80, 100]


def test_points_lie_where_the_axes_say() -> None:
    made = ElementTree.fromstring(point_chart([Series("a", [0, 5, 10], [0, 50, 100])], title="t"))
    places = [(float(c.get("cx")), float(c.get("cy"))) for c in made.iter(f"{SVG}circle")]
    labels = {
        (t.get("text-anchor"), t.text): float(t.get("x" if t.get("text-anchor") == "middle" else "y"))
        for t in made.iter(f"{SVG}text")
    }
    for (x, y), at, value in zip(places, ("0", "5", "10"), ("0", "50", "100"), strict=True):
        if ("middle", at) in labels:
            assert x == pytest.approx(labels["middle", at], abs=0.1)
        if ("end", value) in labels:
            assert y + 4 == pytest.approx(labels["end", value], abs=0.1)
    assert places[1][0] == pytest.approx((places[0][0] + places[2][0]) / 2, abs=0.1)
    assert places[1][1] == pytest.approx((places[0][1] + places[2][1]) / 2, abs=0.1)


def test_bars_are_as_high_as_their_values() -> None:
    series = [Series("a", [0, 1], [10, 40]), Series("b", [0, 1], [20, 5], [1, 2])]
    made = ElementTree.fromstring(bar_chart(series, title="t", x_names=["one", "two"]))
    heights = [float(bar.get("height")) for bar in made.iter(f"{SVG}rect") if bar.get("fill-opacity")]
    assert [height / heights[0] for height in heights] == pytest.approx([1, 4, 2, 0.5], abs=0.01)
    assert len([path for path in made.iter(f"{SVG}path") if path.get("class") == "error"]) == 2


def test_series_are_named_and_told_apart_without_colour() -> None:
    made = line_chart(
        [Series("a <b>", [0, 1], [1, 2], [0.1, 0.1]), Series("c & d", [0, 1], [2, 3])],
        title="t & u",
        x_names=["x", "y"],
        x_label="length",
        y_label="BLEU",
    )
    root = ElementTree.fromstring(made)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"a <b>", "c & d", "x", "y", "length", "BLEU"} <= set(texts)
    assert root.find(f"{SVG}title").text == "t & u"
    assert "a <b>: x 1, y 2; c & d: x 2, y 3" in root.find(f"{SVG}desc").text
    assert re.search(r"stroke-dasharray", made) and root.get("role") == "img"


@pytest.mark.parametrize(("series", "points"), [([], 0), ([Series("a", [], [])], 0), ([Series("a", [3], [7])], 1)])
def test_little_to_draw(series, points) -> None:
    line = ElementTree.fromstring(line_chart(series, title="t"))
    assert len(line.findall(f"{SVG}circle")) == points
    bar = ElementTree.fromstring(bar_chart([], title="t", x_names=[]))
    for made in (line, bar):
        numbers = [text for text in made.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
        assert len(numbers) > 1, "the axis has its numbers"
