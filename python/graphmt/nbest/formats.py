"""The formats of n-best lists by name. A new format is a module like these and a line in the table."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from graphmt.nbest import json_lines, moses
from graphmt.nbest.record import Candidate, NBestList


@dataclasses.dataclass(frozen=True)
class NBestFormat:
    """A format: how its lines are recognised, parsed and written.

    Examples
    --------
    >>> from graphmt.nbest import FORMATS
    >>> sorted(FORMATS)
    ['json', 'moses']
    """

    name: str
    #: Whether a file's first line that is not blank is in this format.
    recognises: Callable[[str], bool]
    #: The candidates of a line: the line, the file's name, the line number, the number of the next sentence.
    parse: Callable[[str, str, int, int], Iterator[Candidate]]
    #: A candidate's origin without some columns.
    without: Callable[[Any, Collection[str]], Any]
    #: The line of a candidate: its list, its place in it, its new rank and score, added features.
    written: Callable[[NBestList, int, int, float, Mapping[str, float]], str]


#: The formats by name; the first that recognises a file reads it.
FORMATS: dict[str, NBestFormat] = {
    json_lines.NAME: NBestFormat(
        json_lines.NAME,
        lambda line: line.lstrip().startswith("{"),
        json_lines.parse,
        json_lines.without,
        json_lines.written,
    ),
    moses.NAME: NBestFormat(moses.NAME, lambda line: True, moses.parse, moses.without, moses.written),
}


def recognised(line: str) -> NBestFormat:
    """The format of a file that begins with this line."""
    return next(format for format in FORMATS.values() if format.recognises(line))


def written(
    given: NBestList, order: Sequence[int], scores: Sequence[float], added: Mapping[str, Sequence[float]]
) -> str:
    """Write a list in a new order, in the format it came in, with new scores and features.

    Parameters
    ----------
    given
        The list.
    order
        Numbers of its candidates in their new order.
    scores
        New scores, in the old order.
    added
        New features by name, in the old order.

    Returns
    -------
    str
        The lines.

    Examples
    --------
    >>> from graphmt.nbest import NBestList, written
    >>> one = NBestList.of(0, [("a house", -1.0), ("the house", -1.5)])
    >>> print(written(one, [1, 0], [0.2, 0.8], {"gc1": [0.1, 0.9]}), end="")
    0 ||| the house ||| gc1= 0.9 ||| 0.8
    0 ||| a house ||| gc1= 0.1 ||| 0.2
    """
    line = FORMATS[given.format].written
    rows = (
        line(given, place, rank, scores[place], {name: values[place] for name, values in added.items()})
        for rank, place in enumerate(order)
    )
    return "".join(f"{row}\n" for row in rows)
