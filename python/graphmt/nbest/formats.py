"""The formats of n-best lists by name. A new format is a module like these and a line in the table."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from graphmt.errors import InputError, OptionError
from graphmt.nbest import fairseq, json_lines, marian, moses, opennmt, plain, tsv
from graphmt.nbest.record import Candidate, Lines, NBestList
from graphmt.nbest.texts import is_number, shown
from graphmt.options import nearest


@dataclasses.dataclass(frozen=True)
class NBestFormat:
    """A format: how its lines are recognised, parsed and written.

    Examples
    --------
    >>> from graphmt.nbest import FORMATS
    >>> sorted(FORMATS)
    ['fairseq', 'json', 'marian', 'moses', 'opennmt', 'plain', 'tsv']
    """

    name: str
    #: What a line looks like, for messages.
    shape: str
    #: Whether a line is in this format.
    recognises: Callable[[str], bool]
    #: The candidates of a file: its lines, its name, and the number of candidates of each sentence if it was given.
    candidates: Callable[[Lines, str, int | None], Iterator[Candidate]]
    #: A candidate's origin without some columns.
    without: Callable[[Any, Collection[str]], Any]
    #: The line of a candidate: its list, its place in it, its new rank and score, added features.
    written: Callable[[NBestList, int, int, float, Mapping[str, float]], str]


def _made(module: Any) -> NBestFormat:
    return NBestFormat(module.NAME, module.SHAPE, module.recognises, module.candidates, module.without, module.written)


#: The formats by name; the first that recognises the first line of a file reads it.
FORMATS: dict[str, NBestFormat] = {
    marian.NAME: _made(marian),
    moses.NAME: _made(moses),
    opennmt.NAME: NBestFormat(
        opennmt.NAME, opennmt.SHAPE, opennmt.recognises, opennmt.candidates, plain.without, plain.written_with_score
    ),
    fairseq.NAME: _made(fairseq),
    json_lines.NAME: _made(json_lines),
    tsv.NAME: _made(tsv),
    # Any line can be plain text, so that it is never recognised.
    plain.NAME: NBestFormat(
        plain.NAME, plain.SHAPE, lambda line: False, plain.candidates, plain.without, plain.written
    ),
}


def format_named(name: str) -> NBestFormat:
    """The format of this name."""
    if name not in FORMATS:
        raise OptionError(f"unknown format of n-best lists {name!r}{nearest(name, FORMATS)}.")
    return FORMATS[name]


def recognised(line: str) -> NBestFormat | None:
    """The format of a file that begins with this line."""
    return next((format for format in FORMATS.values() if format.recognises(line)), None)


def refused(line: str, name: str, at: int) -> InputError:
    """The error for a file whose first line has no known format."""
    near = FORMATS[_nearest(line)]
    return InputError(
        f"no known format of n-best lists: {shown(line)}.",
        file=name,
        line=at,
        hint=f"The nearest is {near.name}: {near.shape}. --format chooses from {', '.join(FORMATS)}.",
    )


def _nearest(line: str) -> str:
    """The name of the format that an unrecognised line resembles most."""
    if "|||" in line:
        return moses.NAME
    if fairseq.is_report(line) or (line[1:2] == "-" and line[:1].isupper()):
        return fairseq.NAME
    if line.startswith(("SENT", "PRED")):
        return opennmt.NAME
    if line.lstrip().startswith(('"', "[", "{")):
        return json_lines.NAME
    last = line.rpartition("\t")
    return tsv.NAME if last[1] and not is_number(last[2]) else plain.NAME


def written(
    given: NBestList,
    order: Sequence[int],
    scores: Sequence[float],
    added: Mapping[str, Sequence[float]],
    format: str | None = None,
) -> str:
    """Write a list in a new order, with new scores and features.

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
    format
        The name of the format; None: the one that the list came in.

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
    if format is not None and format != given.format:
        given = dataclasses.replace(given, origins=(), format=format_named(format).name)
    line = FORMATS[given.format].written
    rows = (
        line(given, place, rank, scores[place], {name: values[place] for name, values in added.items()})
        for rank, place in enumerate(order)
    )
    return "".join(f"{row}\n" for row in rows)
