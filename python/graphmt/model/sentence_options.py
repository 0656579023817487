"""The translation options of a sentence: every rule that the search could apply, with its scores."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from graphmt import _core
from graphmt.model.model import Model, Prepared
from graphmt.model.translation import Translation
from graphmt.reprs import counted

#: A feature without effect: its column is computed when the options of a sentence are known.
_SEEN = "options_seen"
#: The number of a word that the table does not know.
_COPIED = 2**32 - 1


@dataclasses.dataclass(frozen=True)
class SentenceOption:
    """A rule that applies to a sentence.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.model import n_best_with_options
    >>> model = graphmt.load("pbmt")
    >>> best, options = n_best_with_options(model, model.prepare(["Er schläft ."])[0], 1)
    >>> [one.target for one in options if one.positions == (1,)]
    [('is', 'sleeping'), ('sleeping',)]
    """

    #: Source positions of its own words.
    positions: tuple[int, ...]
    #: Its target words; None for a hole, in the order of the target side.
    target: tuple[str | None, ...]
    #: The spans of its holes: first position and the one after the last, in source order.
    holes: tuple[tuple[int, int], ...]
    #: The positions that must link to untranslated words; None for rules without context.
    context: tuple[int, ...] | None
    #: A copied word or a term, not a rule of the table.
    copied: bool
    #: ln of the rule's scores, by the names of the features.
    scores: dict[str, float]

    @property
    def words(self) -> tuple[str, ...]:
        """Its target words without holes."""
        return tuple(word for word in self.target if word is not None)

    @property
    def span(self) -> tuple[int, int] | None:
        """What it covers if that has no gaps: first position and the one after the last."""
        covered = sorted({*self.positions, *(place for hole in self.holes for place in range(*hole))})
        if not covered or covered[-1] - covered[0] + 1 != len(covered):
            return None
        return covered[0], covered[-1] + 1


class SentenceOptions(Sequence[SentenceOption]):
    """The options of a sentence, each made when it is asked for: long sentences have many.

    Parameters
    ----------
    model
        The model.
    prepared
        The sentence.
    columns
        The options as the core has them; None: there are none.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.model import n_best_with_options
    >>> model = graphmt.load("pbmt")
    >>> _, options = n_best_with_options(model, model.prepare(["Er schläft ."])[0], 1)
    >>> [one.target for one in options.of_span(1, 2)]
    [('is', 'sleeping'), ('sleeping',)]
    """

    def __init__(self, model: Model, prepared: Prepared, columns: _core.OptionColumns | None) -> None:
        self._decoder, self._surface, self._columns = model.decoder, prepared.surface, columns
        self._names = () if columns is None else _core.FEATURES[: columns.scores.shape[1]]

    def __len__(self) -> int:
        return 0 if self._columns is None else len(self._columns.copied)

    def __repr__(self) -> str:
        return f"SentenceOptions({counted(len(self), 'option')})"

    def __iter__(self) -> Iterator[SentenceOption]:
        return self._made(range(len(self)))

    @overload
    def __getitem__(self, number: int) -> SentenceOption: ...

    @overload
    def __getitem__(self, number: slice) -> list[SentenceOption]: ...

    def __getitem__(self, number: int | slice) -> SentenceOption | list[SentenceOption]:
        chosen = range(len(self))[number]
        return next(self._made([chosen])) if isinstance(chosen, int) else list(self._made(chosen))

    def of_span(self, first: int, end: int) -> list[SentenceOption]:
        """Those whose own words begin at ``first`` and end before ``end``; words in between may be left out."""
        if self._columns is None:
            return []
        offsets, positions = self._columns.position_offsets, self._columns.positions
        some = np.flatnonzero(offsets[1:] > offsets[:-1])
        inside = (positions[offsets[some]] == first) & (positions[offsets[some + 1] - 1] == end - 1)
        return list(self._made(some[inside].tolist()))

    def _made(self, chosen: Sequence[int]) -> Iterator[SentenceOption]:
        if self._columns is None or not chosen:
            return
        columns, numbers = self._columns, self._columns.target.view(np.uint32)
        places = list(zip(columns.target_offsets.tolist(), columns.target_offsets[1:].tolist(), strict=False))
        known = numbers if len(chosen) == len(self) else np.concatenate([numbers[slice(*places[k])] for k in chosen])
        known = np.unique(known[known != _COPIED])
        words = dict(zip(known.tolist(), self._decoder.target_words(known.tolist()), strict=True))
        for k in chosen:
            own, holes = slice(*columns.position_offsets[k : k + 2]), slice(*columns.hole_offsets[k : k + 2])
            positions, context = columns.positions[own].tolist(), int(columns.context[k])
            yield SentenceOption(
                tuple(positions),
                _target(numbers[slice(*places[k])].tolist(), [self._surface[place] for place in positions], words),
                tuple(zip(columns.hole_first[holes].tolist(), columns.hole_end[holes].tolist(), strict=True)),
                None if context < 0 else tuple(p for at, p in enumerate(positions) if context >> at & 1),
                bool(columns.copied[k]),
                dict(zip(self._names, columns.scores[k].tolist(), strict=True)),
            )


class _Capture:
    """An annotation that keeps the options it is called with."""

    def __init__(self) -> None:
        self.seen: list[_core.OptionColumns] = []

    def __call__(self, options: _core.OptionColumns, words: list[str]) -> npt.NDArray[np.float32]:
        self.seen.append(options)
        return np.zeros(len(options.copied), dtype=np.float32)


def n_best_with_options(
    model: Model, prepared: Prepared, n: int, *, distinct: bool = True
) -> tuple[list[Translation], SentenceOptions]:
    """Translate a prepared sentence, and list the options that the search had.

    Parameters
    ----------
    model
        The model.
    prepared
        The sentence, of :meth:`Model.prepare`.
    n
        The number of translations.
    distinct
        Only translations that differ as text.

    Returns
    -------
    tuple[list[Translation], SentenceOptions]
        The translations, best first, and the options. A sentence that is split because it is too long has none.

    Examples
    --------
    >>> import graphmt
    >>> from graphmt.model import n_best_with_options
    >>> model = graphmt.load("pbmt")
    >>> best, options = n_best_with_options(model, model.prepare(["Er schläft ."])[0], 2)
    >>> len(best), sorted({one.positions for one in options})[:2]
    (2, [(0,), (0, 1)])
    """
    capture = _Capture()
    found = model.annotated(capture, {_SEEN: 0.0}).n_best_prepared([prepared], n, distinct=distinct, threads=1)[0]
    kept = [
        dataclasses.replace(one, features={name: value for name, value in one.features.items() if name != _SEEN})
        for one in found
    ]
    is_whole = len(prepared) <= model.longest and capture.seen
    return kept, SentenceOptions(model, prepared, capture.seen[-1] if is_whole else None)


def _target(numbers: list[int], own: Sequence[str], words: dict[int, str]) -> tuple[str | None, ...]:
    """The words of a target side; unknown ones are those of the source, as they are copied."""
    copies = itertools.chain(own, itertools.repeat(""))
    # The table's name for a hole is empty.
    return tuple((next(copies) if number == _COPIED else words[number]) or None for number in numbers)
