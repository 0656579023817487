"""N-best lists of any system, read as a stream."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator

from graphmt.errors import InputError
from graphmt.nbest.formats import NBestFormat, recognised
from graphmt.nbest.record import Candidate, NBestList, joined
from graphmt.storage.files import AnyPath, lines, name_of

log = logging.getLogger(__name__)


class NBestFile(Iterator[NBestList]):
    r"""The lists of a file as a stream. The first is read at once, so that its columns are known.

    Parameters
    ----------
    path
        The file.
    without
        Columns to drop.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.nbest import read_lists
    >>> n = Path("lists.txt").write_text("0 ||| a house ||| lm= -1 ||| -1.0\n0 ||| the house ||| lm= -2 ||| -1.5\n")
    >>> read_lists("lists.txt").features
    ('score', 'lm')
    """

    def __init__(self, path: AnyPath, without: Collection[str]) -> None:
        self.path = path
        self._rest = _read(path, without)
        self._first = next(self._rest, None)
        if self._first is None:
            raise InputError("no n-best list.", file=name_of(path))
        #: The columns, the score first.
        self.features = self._first.features

    def __repr__(self) -> str:
        return f"NBestFile({name_of(self.path)!r}, features={self.features})"

    def __next__(self) -> NBestList:
        first, self._first = self._first, None
        return first if first is not None else next(self._rest)


def read_lists(path: AnyPath, *, without: Collection[str] = ()) -> NBestFile:
    r"""Read n-best lists, one sentence after the other.

    Moses' format is ``number ||| text ||| name= value … ||| score``. A JSON line is a candidate, with ``text`` or
    ``tokens``, ``score`` or ``log_probability``, the number of its ``sentence`` and optional ``features`` by name;
    or it is the whole list of a sentence, its ``candidates``. The first line decides which. Sentences are numbered
    from 0 without a gap, and their candidates are adjacent.

    Parameters
    ----------
    path
        The file, plain or gzip; ``-`` is standard input.
    without
        Columns to drop.

    Returns
    -------
    NBestFile
        The lists as a stream, with the names of their columns.

    Raises
    ------
    InputError
        If there is no list, or a line is malformed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.nbest import read_lists
    >>> n = Path("lists.txt").write_text("0 ||| a house ||| lm= -1 ||| -1.0\n0 ||| the house ||| lm= -2 ||| -1.5\n")
    >>> list(read_lists("lists.txt"))
    [NBestList(0, 'a house', 2 candidates)]
    """
    return NBestFile(path, without)


def _read(path: AnyPath, without: Collection[str]) -> Iterator[NBestList]:
    name = name_of(path)
    format: NBestFormat | None = None
    held: list[Candidate] = []
    features: tuple[str, ...] | None = None
    following = 0
    for at, line in enumerate(lines(path), 1):
        if not line.strip():
            continue
        if format is None:
            format = recognised(line)
        for one in format.parse(line, name, at, following):
            if features is None and not held and (left := [column for column in one.values if column in without]):
                log.warning(
                    f"{name}: dropping the columns {', '.join(left)}; new columns with these names are computed."
                )
            if held and one.number != held[0].number:
                made = joined(held, name, features, format.name)
                features = made.features
                yield made
                held = []
            if not held:
                if one.number != following:
                    raise InputError(
                        f"sentence {one.number} where {following} was expected.",
                        file=name,
                        line=at,
                        hint="Sentences are numbered from 0; each has a list, and its candidates are adjacent.",
                    )
                following += 1
            held.append(_stripped(one, without, format) if without else one)
    if held and format is not None:
        yield joined(held, name, features, format.name)


def _stripped(one: Candidate, columns: Collection[str], format: NBestFormat) -> Candidate:
    """A candidate without some columns, which are not written again either."""
    if not any(column in columns for column in one.values):
        return one
    values = {name: value for name, value in one.values.items() if name not in columns}
    return one._replace(values=values, origin=format.without(one.origin, columns))
