"""The lists of several systems merged, so that re-ranking chooses among the candidates of all."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from graphmt.consensus.options import RerankOptions
from graphmt.consensus.scores import detected_score, log_probability_column, settled_score
from graphmt.corpus.normal_form import normal_form
from graphmt.errors import InputError
from graphmt.nbest import NBestFile, NBestList, ScoreMeaning
from graphmt.nbest.scores import SCORE
from graphmt.storage.files import name_of

Values = npt.NDArray[np.float64]

#: The smallest probability of a candidate, for systems whose list does not have it.
FLOOR = 1e-4
#: Lists by which the meaning of scores is judged.
SAMPLE = 1000
#: The column of a system that is 1 for candidates which its list does not have.
MISSING = "missing"


def system_column(system: int, name: str) -> str:
    """The name of a column of a system, numbered from 1."""
    return f"system{system}-{name}"


def merged(lists: Sequence[NBestList], columns: Sequence[RerankOptions] | None = None) -> NBestList:
    """Merge the lists that several systems have for one sentence.

    The candidates are those of the first list, then the new ones of the others. The score is the logarithm of the mean
    of the systems' posteriors. Every system keeps its columns under new names. Candidates that its list does not have
    get its least values, and 1 in a column of their own.

    Parameters
    ----------
    lists
        A list of each system.
    columns
        Which column of each is the log-probability; None: as its format says.

    Returns
    -------
    NBestList
        The merged list.

    Examples
    --------
    >>> from graphmt.consensus import NBestList, merged
    >>> one = NBestList.of(0, [("a house", -0.1), ("the house", -2.5)])
    >>> two = NBestList.of(0, [("the house", -0.2), ("one house", -1.8)])
    >>> merged([one, two]).texts
    ('a house', 'the house', 'one house')
    """
    columns = columns or [settled_score(one, RerankOptions()) for one in lists]
    places: dict[str, int] = {}
    texts: list[str] = []
    for one in lists:
        for text in one.texts:
            if places.setdefault(normal_form(text), len(places)) == len(texts):
                texts.append(text)
    names: list[str] = []
    parts: list[Values] = []
    total = np.zeros(len(places))
    for system, (one, column) in enumerate(zip(lists, columns, strict=True), 1):
        # Of equal texts in a list, the first one counts.
        own = np.full(len(places), -1)
        for place in range(len(one) - 1, -1, -1):
            own[places[normal_form(one.texts[place])]] = place
        found = own >= 0
        values = np.tile(one.values.min(axis=0), (len(places), 1))
        values[found] = one.values[own[found]]
        names += [system_column(system, name) for name in (*one.features, MISSING)]
        parts += [values, (~found[:, None]).astype(np.float64)]
        total[found] += _posterior(one, column)[own[found]] / len(lists)
    score = np.log(np.maximum(total, FLOOR))
    return NBestList(
        lists[0].number,
        tuple(texts),
        (SCORE, *names),
        np.hstack([score[:, None], *parts]).astype(np.float64),
        format=lists[0].format,
        meanings={**dict.fromkeys(names, ScoreMeaning.UNKNOWN), SCORE: ScoreMeaning.SUM},
        source=next((one.source for one in lists if one.source is not None), None),
    )


def _posterior(one: NBestList, column: RerankOptions) -> Values:
    if column.normalised == "yes":
        scores = log_probability_column([one], [one.texts], column.score)
    else:
        scores = one.values[:, one.features.index(column.score)]
    with np.errstate(over="ignore"):
        raised = np.exp(scores - scores.max())
    made: Values = raised / raised.sum()
    return made


class MergedFile(Iterator[NBestList]):
    r"""The lists of several files merged, as a stream; the interface is that of :class:`graphmt.nbest.NBestFile`.

    Parameters
    ----------
    files
        A file of each system.
    columns
        Which column of each is the log-probability; None: judged by the first lists.

    Examples
    --------
    >>> from pathlib import Path
    >>> from graphmt.consensus import MergedFile
    >>> from graphmt.nbest import read_lists
    >>> n = Path("one.txt").write_text("0 ||| a house ||| ||| -0.1\n0 ||| the house ||| ||| -1.5\n")
    >>> n = Path("two.txt").write_text("0 ||| the house ||| ||| -0.2\n")
    >>> merged = MergedFile([read_lists("one.txt"), read_lists("two.txt")])
    >>> merged.features
    ('score', 'system1-score', 'system1-missing', 'system2-score', 'system2-missing')
    """

    def __init__(self, files: Sequence[NBestFile], columns: Sequence[RerankOptions] | None = None) -> None:
        self.files = files
        self.path = files[0].path
        self.format = files[0].format
        #: The column of log-probabilities of each system.
        self.columns = columns or [detected_score(one.sample(SAMPLE), RerankOptions()) for one in files]
        self._read: deque[NBestList] = deque()
        self._rest = self._merged()
        [first] = self.sample(1)
        self.features, self.meanings = first.features, first.meanings
        self.log_probability = first.log_probability

    def __next__(self) -> NBestList:
        return self._read.popleft() if self._read else next(self._rest)

    def sample(self, number: int) -> list[NBestList]:
        """The next lists, which stay part of the stream."""
        self._read.extend(islice(self._rest, max(number - len(self._read), 0)))
        return list(islice(self._read, number))

    def _merged(self) -> Iterator[NBestList]:
        done = 0
        while True:
            own = [next(file, None) for file in self.files]
            lists = [one for one in own if one is not None]
            if not lists:
                return
            if len(lists) < len(own):
                short = self.files[own.index(None)]
                raise InputError(
                    f"{done} lists; the other systems have more.",
                    file=name_of(short.path),
                    hint="Every system needs a list for each sentence.",
                )
            done += 1
            yield merged(lists, self.columns)


#: Lists of one system or of several.
ListStream = NBestFile | MergedFile
