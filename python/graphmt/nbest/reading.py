"""N-best lists of any system, read as a stream."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, islice

from graphmt.errors import InputError, OptionError
from graphmt.nbest import fairseq, opennmt, plain
from graphmt.nbest.formats import FORMATS, NBestFormat, format_named, recognised, refused
from graphmt.nbest.pieces import join_pieces
from graphmt.nbest.record import Candidate, Lines, NBestList, joined
from graphmt.nbest.scores import SCORE, ScoreMeaning
from graphmt.storage.files import AnyPath, lines, name_of

log = logging.getLogger(__name__)

#: The most lines of messages before the first sentence of a log.
_MOST_REPORTS = 1000


class NBestFile(Iterator[NBestList]):
    r"""The lists of a file as a stream. The first is read at once, so that its columns are known.

    Parameters
    ----------
    path
        The file.
    without
        Columns to drop.
    format
        The name of the format; None detects it.
    list_size
        The number of candidates of each sentence, for plain text.
    join_pieces
        Whether subword pieces are joined.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.nbest import read_lists
    >>> n = Path("lists.txt").write_text("0 ||| a house ||| lm= -1 ||| -1.0\n0 ||| the house ||| lm= -2 ||| -1.5\n")
    >>> read_lists("lists.txt").features
    ('score', 'lm')
    """

    def __init__(
        self,
        path: AnyPath,
        without: Collection[str] = (),
        *,
        format: str | None = None,
        list_size: int | None = None,
        join_pieces: bool = True,
    ) -> None:
        if list_size is not None and list_size < 1:
            raise OptionError(f"a list has at least one candidate, not {list_size}.")
        if list_size is not None and format not in (None, plain.NAME, opennmt.NAME):
            raise OptionError(f"the number of candidates of a sentence cannot be given for the format {format}.")
        self.path = path
        self._rest = _Reader(path, without, join_pieces).lists(format, list_size)
        #: Lists that were read but not yet returned.
        self._read: deque[NBestList] = deque(islice(self._rest, 1))
        if not self._read:
            raise InputError("no n-best list.", file=name_of(path))
        first = self._read[0]
        #: The columns, the score first.
        self.features = first.features
        #: What the columns mean.
        self.meanings: Mapping[str, ScoreMeaning] = first.meanings
        #: The column that is a log-probability, not normalised by length; None if none is known to be.
        self.log_probability = first.log_probability
        #: The name of the format.
        self.format = first.format

    def __repr__(self) -> str:
        return f"NBestFile({name_of(self.path)!r}, features={self.features})"

    def __next__(self) -> NBestList:
        return self._read.popleft() if self._read else next(self._rest)

    def sample(self, number: int) -> list[NBestList]:
        """The next lists, which stay part of the stream."""
        self._read.extend(islice(self._rest, max(number - len(self._read), 0)))
        return list(islice(self._read, number))


def read_lists(
    path: AnyPath,
    *,
    without: Collection[str] = (),
    format: str | None = None,
    list_size: int | None = None,
    join_pieces: bool = True,
) -> NBestFile:
    r"""Read n-best lists, one sentence after the other.

    Sentences are numbered from 0 without a gap, and their candidates are adjacent (fairseq's sentences may come in any
    order). Candidates without scores get the score 0.

    Parameters
    ----------
    path
        The file, plain or compressed; ``-`` is standard input.
    without
        Columns to drop.
    format
        One of :data:`graphmt.nbest.FORMATS`; None detects it by the first line.
    list_size
        The number of candidates of each sentence, for plain text.
    join_pieces
        Whether subword pieces (``▁how``, ``hou@@ se``) are joined.

    Returns
    -------
    NBestFile
        The lists as a stream, with the names and meanings of their columns.

    Raises
    ------
    InputError
        If there is no list, its format is unknown, or a line is malformed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.nbest import read_lists
    >>> n = Path("lists.txt").write_text("0 ||| a house ||| lm= -1 ||| -1.0\n0 ||| the house ||| lm= -2 ||| -1.5\n")
    >>> list(read_lists("lists.txt"))
    [NBestList(0, 'a house', 2 candidates)]
    """
    return NBestFile(path, without, format=format, list_size=list_size, join_pieces=join_pieces)


def count_lists(
    path: AnyPath, *, without: Collection[str] = (), format: str | None = None, list_size: int | None = None
) -> int:
    r"""The number of lists of a file, all of which are read.

    Parameters
    ----------
    path
        The file, which can be read again.
    without
        Columns to drop.
    format
        One of :data:`graphmt.nbest.FORMATS`; None detects it by the first line.
    list_size
        The number of candidates of each sentence, for plain text.

    Returns
    -------
    int
        The number of sentences.

    Raises
    ------
    InputError
        If the format is unknown, or a line is malformed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.nbest import count_lists
    >>> n = Path("lists.txt").write_text("0 ||| a house ||| lm= -1 ||| -1.0\n1 ||| yes ||| lm= -2 ||| -1.5\n")
    >>> count_lists("lists.txt")
    2
    """
    return sum(1 for _ in _Reader(path, without, join=False, reports=False).lists(format, list_size))


class _Reader:
    """Reads one file."""

    def __init__(self, path: AnyPath, without: Collection[str], join: bool, reports: bool = True) -> None:
        self.path, self.without, self.join = path, without, join
        self._reports = reports
        self.name = name_of(path)
        #: Whether candidates have scores, once the first was read.
        self.scored: bool | None = None
        #: The marks of pieces that were reported.
        self.marks: set[str] = set()

    def lists(self, format: str | None, list_size: int | None) -> Iterator[NBestList]:
        """The lists of the file."""
        chosen, numbered = self._opened(format, list_size)
        if chosen is None:
            return
        held: list[Candidate] = []
        features: tuple[str, ...] | None = None
        following = 0
        for given in chosen.candidates(numbered, self.name, list_size):
            one = self._prepared(given, chosen)
            if held and one.number != held[0].number:
                made = joined(held, self.name, features, chosen.name)
                features = made.features
                yield made
                held = []
            if not held:
                if one.number != following:
                    raise InputError(
                        f"sentence {one.number} where {following} was expected.",
                        file=self.name,
                        line=one.line,
                        hint="Sentences are numbered from 0; each has a list, and its candidates are adjacent.",
                    )
                following += 1
            held.append(one)
        if held:
            yield joined(held, self.name, features, chosen.name)

    def _opened(self, format: str | None, list_size: int | None) -> tuple[NBestFormat | None, Lines]:
        """The format and the lines of the file; no format if all lines are blank."""
        numbered = enumerate(lines(self.path), 1)
        if format is not None:
            return format_named(format), numbered
        if list_size is not None:
            return FORMATS[plain.NAME], numbered
        for at, line in numbered:
            if not line.strip():
                continue
            if found := recognised(line):
                return found, chain([(at, line)], numbered)
            # Logs begin with messages.
            if at > _MOST_REPORTS or not (fairseq.is_report(line) or opennmt.is_report(line)):
                raise refused(line, self.name, at)
        return None, numbered

    def _prepared(self, one: Candidate, format: NBestFormat) -> Candidate:
        """A candidate with a score, without columns to be dropped, its pieces joined."""
        first = self.scored is None
        if first:
            self.scored = SCORE in one.values
            if dropped := [column for column in one.values if column in self.without]:
                names = ", ".join(dropped)
                self._report(f"{self.name}: dropping the columns {names}; new columns with these names are computed.")
            if not self.scored:
                self._report(f"{self.name}: no scores; all candidates of a sentence count the same.")
        if self.without and any(column in self.without for column in one.values):
            values = {name: value for name, value in one.values.items() if name not in self.without}
            one = one._replace(values=values, origin=format.without(one.origin, self.without))
        if not self.scored:
            if SCORE in one.values:
                raise InputError("a candidate with a score; the first one has none.", file=self.name, line=one.line)
            meanings = {**one.meanings, SCORE: ScoreMeaning.NONE}
            one = one._replace(values={SCORE: 0.0, **one.values}, meanings=meanings)
        if self.join:
            text, mark = join_pieces(one.text)
            if mark is not None:
                # The pieces and the end of the sentence are the tokens that the system counts.
                length = float(len(one.text.split()) + 1) if one.length is None else one.length
                one = one._replace(text=text, length=length)
                if mark not in self.marks:
                    self.marks.add(mark)
                    self._report(f"{self.name}: subword pieces ({mark}) are joined.")
        return one

    def _report(self, text: str) -> None:
        if self._reports:
            log.warning(text)
