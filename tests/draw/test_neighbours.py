"""Pictures of the neighbours that spoke for a translation."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from xml.etree import ElementTree

from graphmt.consensus import Explanation, NeighbourSupport, RerankOptions
from graphmt.consensus.report import ChangedChoices, write_neighbours
from graphmt.draw.neighbours import Neighbour, neighbours_svg

NAME = "{http://www.w3.org/2000/svg}"


def test_lines_are_as_wide_as_what_was_said_and_shared_words_are_marked() -> None:
    neighbours = [Neighbour("wie geht's <b>?", "how goes it ?", 0.5, 0.75), Neighbour("geht's", "it goes", 0.4, 0.25)]
    picture = ElementTree.fromstring(neighbours_svg("wie geht es ?", "how is it ?", neighbours))
    lines = [float(line.get("stroke-width", "0")) for line in picture.iter(f"{NAME}path")]
    assert lines == [9.0, 3.0]
    shown = {(span.text, span.get("fill")) for span in picture.iter(f"{NAME}tspan")}
    green = next(fill for text, fill in shown if text == "how")
    assert {text for text, fill in shown if fill == green} == {"how", "it", "?"}
    assert {text for text, fill in shown if fill != green} == {"goes"}
    texts = [text.text for text in picture.iter(f"{NAME}text")]
    assert "wie geht's <b>?" in texts and "how is it ?" in texts
    description = picture.find(f"{NAME}desc")
    assert description is not None and "75% wie geht's <b>? = how goes it ?" in (description.text or "")
    wide, high = (float(picture.get(side, "0")) for side in ("width", "height"))
    assert all(
        0 < float(t.get("x", "0")) < wide and 0 < float(t.get("y", "0")) < high for t in picture.iter(f"{NAME}text")
    )


def test_a_page_shows_the_loudest_first(tmp_path: Path) -> None:
    def choice(number: int, loud: float) -> Explanation:
        one = NeighbourSupport("s & t", f"target {number}", 0.5, True, 1.0, loud)
        return Explanation(number, "source", "chosen <x>", "first", 2, 3, (one,))

    changed = ChangedChoices(most=2)
    for one in (choice(0, 0.1), choice(1, 0.9), choice(2, 0.05), choice(3, 0.1)):
        changed.add(one)
    changed.add(dataclasses.replace(choice(4, 1.0), place=1))
    changed.add(dataclasses.replace(choice(5, 1.0), support=()))
    assert changed.count == 4 and [one.sentence for one in changed.strongest()] == [1, 0]
    write_neighbours(tmp_path / "p.html", changed, RerankOptions())
    page = (tmp_path / "p.html").read_text("utf-8")
    assert page.index("Sentence 2") < page.index("Sentence 1<") and page.count("<svg") == 2
    assert "chosen &lt;x&gt;" in page and "chosen <x>" not in page and "2 more neighbours" in page
    write_neighbours(tmp_path / "none.html", ChangedChoices(), RerankOptions())
    assert "No choice was changed" in (tmp_path / "none.html").read_text("utf-8")
