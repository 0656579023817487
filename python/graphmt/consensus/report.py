"""A page of choices that re-ranking changed, with the neighbours that spoke for them."""

from __future__ import annotations

import heapq

import graphmt
from graphmt.consensus.explanation import Explanation
from graphmt.consensus.options import RerankOptions
from graphmt.evaluate.report.page import Markup, element, table, write_page
from graphmt.storage.files import AnyPath

#: Choices that a page shows.
MOST = 50


class ChangedChoices:
    """The choices that neighbours changed: all are counted, those with the loudest single voice are kept."""

    def __init__(self, most: int = MOST) -> None:
        self.count = 0
        self._most = most
        self._kept: list[tuple[float, int, Explanation]] = []

    def add(self, one: Explanation) -> None:
        """Note a choice, if it is one of these."""
        if not one.changed or not one.voices:
            return
        self.count += 1
        entry = (max(voice.over_first for voice in one.voices), -one.sentence, one)
        if len(self._kept) < self._most:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)

    def loudest(self) -> list[Explanation]:
        """Those that are kept, the loudest first."""
        return [one for *_, one in sorted(self._kept, key=lambda entry: entry[:2], reverse=True)]


def write_neighbours(path: AnyPath, changed: ChangedChoices, options: RerankOptions) -> None:
    """Write the page: one HTML file. The choices with the loudest single voice come first."""
    first = changed.loudest()
    shown = Markup("".join(_choice(one) for one in first)) or element("p", "No choice was changed by a neighbour.")
    lead = element(
        "p", f"{changed.count:,} translations changed with neighbours; {len(first):,} are shown.", class_="quiet"
    )
    rows = [[name, value] for name, value in options.as_dict().items()]
    foot = table(["what", "which"], [["made by", f"graphmt {graphmt.__version__}"], *rows], texts=(0, 1))
    write_page(path, "Neighbours that spoke", lead, [("Changed translations", shown)], foot)


def _choice(one: Explanation) -> Markup:
    more = one.unnamed
    note = (
        f"Candidate {one.place} of its list. Lines are as wide as what a neighbour said; beside them its part and the "
    )
    note += f"similarity of the sources.{f' {more} more neighbours.' if more > 0 else ''}"
    return element(
        "article",
        element("h3", f"Sentence {one.sentence + 1}"),
        element(
            "dl",
            element("dt", "source"),
            element("dd", one.source),
            element("dd", ""),
            element("dt", "before"),
            element("dd", one.first),
            element("dd", ""),
            element("dt", "now"),
            element("dd", one.chosen),
            element("dd", ""),
        ),
        element("figure", Markup(one.svg), element("figcaption", note)),
        class_="example",
    )
