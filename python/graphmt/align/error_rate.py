"""Precision, recall and alignment error rate (Och & Ney 2003, section 6.1)."""

from __future__ import annotations

import dataclasses

from graphmt._core import Alignment, count_links
from graphmt.records import from_core


@dataclasses.dataclass(frozen=True)
class AlignmentScore:
    """Counts of links: A those found, S the sure gold ones, P all gold ones (S included).

    Examples
    --------
    >>> from graphmt.align import read_alignment, score
    >>> found = score(read_alignment("corpus/train.align"), read_alignment("aligned.gz"))
    >>> found.precision, found.error_rate < 0.1
    (1.0, True)
    """

    found: int
    sure: int
    possible: int
    found_sure: int
    found_possible: int

    @property
    def precision(self) -> float:
        """|A∩P| / |A|; 1 when nothing was found."""
        return self.found_possible / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """|A∩S| / |S|; 1 when there was nothing to find."""
        return self.found_sure / self.sure if self.sure else 1.0

    @property
    def error_rate(self) -> float:
        """AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|)."""
        both = self.found + self.sure
        return 1.0 - (self.found_sure + self.found_possible) / both if both else 0.0


def score(gold: Alignment, found: Alignment) -> AlignmentScore:
    """Compare links with gold links (Och & Ney 2003).

    Parameters
    ----------
    gold
        Sure and possible gold links.
    found
        The links to evaluate. Those marked as possible count as links.

    Returns
    -------
    AlignmentScore
        Counts, with precision, recall and alignment error rate.

    Examples
    --------
    >>> from graphmt.align import read_alignment, score
    >>> gold = read_alignment("corpus/train.align")
    >>> score(gold, gold).error_rate
    0.0
    """
    return from_core(AlignmentScore, count_links(gold, found))
