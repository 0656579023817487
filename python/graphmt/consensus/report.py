"""A page of choices that re-ranking changed, with the neighbours or n-grams that supported them."""

from __future__ import annotations

import heapq

import graphmt
from graphmt.consensus.explanation import Explanation
from graphmt.consensus.options import RerankOptions
from graphmt.draw.elements import Markup, element
from graphmt.evaluate.report.page import table, write_page
from graphmt.storage.files import AnyPath

#: Maximum number of choices on a page.
MOST = 50


class ChangedChoices:
    """The choices that changed: all are counted, those with the strongest single neighbour or n-gram are kept."""

    def __init__(self, most: int = MOST) -> None:
        self.count = 0
        self._most = most
        self._kept: list[tuple[float, int, Explanation]] = []

    def add(self, one: Explanation) -> None:
        """Add a choice, if it was changed by neighbours or by a memory."""
        strengths = [support.over_first for support in one.support]
        strengths += [ngram.probability for ngram in one.ngrams if ngram.chosen and ngram.pairs]
        if not one.changed or not strengths:
            return
        self.count += 1
        entry = (max(strengths), -one.sentence, one)
        if len(self._kept) < self._most:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)

    def strongest(self) -> list[Explanation]:
        """The kept choices, strongest first."""
        return [one for *_, one in sorted(self._kept, key=lambda entry: entry[:2], reverse=True)]


def write_neighbours(path: AnyPath, changed: ChangedChoices, options: RerankOptions) -> None:
    """Write the page, one HTML file. The choices with the strongest single neighbour or n-gram come first."""
    first = changed.strongest()
    what = "the memory" if options.memory_groups else "neighbours"
    shown = Markup("".join(_choice(one) for one in first)) or element("p", f"No choice was changed by {what}.")
    lead = element(
        "p", f"{changed.count:,} translations changed with {what}; {len(first):,} are shown.", class_="quiet"
    )
    rows = [[name, value] for name, value in options.as_dict().items()]
    foot = table(["what", "which"], [["made by", f"graphmt {graphmt.__version__}"], *rows], texts=(0, 1))
    title = "Supporting n-grams" if options.memory_groups else "Supporting neighbours"
    write_page(path, title, lead, [("Changed translations", shown)], foot)


def _choice(one: Explanation) -> Markup:
    more = one.unnamed
    note = f"Candidate {one.place} of its list. Line width shows a neighbour's support; labels show its share and the "
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
        *([element("figure", Markup(one.svg), element("figcaption", note))] if one.support else []),
        *([_ngrams(one)] if one.ngrams else []),
        class_="example",
    )


def _ngrams(one: Explanation) -> Markup:
    """The n-grams of a choice and of the first candidate, with the pairs that have them."""
    rows = [
        [
            ngram.words,
            "now" if ngram.chosen else "before",
            f"{ngram.probability:.0%}",
            f"{ngram.supporting} of {ngram.examined}: {ngram.source}" if ngram.source else "",
            "; ".join(f"{pair.source} = {pair.target}" for pair in ngram.pairs),
        ]
        for ngram in one.ngrams
    ]
    head = ["n-gram", "in", "probability", "pairs with the source words", "for example"]
    return table(head, rows, caption=f"Candidate {one.place} of its list; {one.by_group}.", texts=(0, 1, 3, 4))
