"""The translation options of a sentence: every rule that the search could apply, with its scores."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import numpy.typing as npt

from graphmt import _core
from graphmt.model.model import Model, Prepared
from graphmt.model.translation import Translation

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


class _Capture:
    """An annotation that keeps the options it is called with."""

    def __init__(self) -> None:
        self.seen: list[_core.OptionColumns] = []

    def __call__(self, options: _core.OptionColumns, words: list[str]) -> npt.NDArray[np.float32]:
        self.seen.append(options)
        return np.zeros(len(options.copied), dtype=np.float32)


def n_best_with_options(
    model: Model, prepared: Prepared, n: int, *, distinct: bool = True
) -> tuple[list[Translation], list[SentenceOption]]:
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
    tuple[list[Translation], list[SentenceOption]]
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
    if len(prepared) > model.longest or not capture.seen:
        return kept, []
    return kept, _options(model, prepared, capture.seen[-1])


def _options(model: Model, prepared: Prepared, columns: _core.OptionColumns) -> list[SentenceOption]:
    names = _core.FEATURES[: columns.scores.shape[1]]
    numbers = columns.target.view(np.uint32)
    known = np.unique(numbers[numbers != _COPIED])
    words: dict[int, str] = dict(zip(known.tolist(), model.decoder.target_words(known.tolist()), strict=True))
    surface = prepared.surface
    made = []
    rows = zip(
        _split(columns.positions, columns.position_offsets),
        _split(numbers, columns.target_offsets),
        _split(columns.hole_first, columns.hole_offsets),
        _split(columns.hole_end, columns.hole_offsets),
        columns.context.tolist(),
        columns.copied.tolist(),
        columns.scores.tolist(),
        strict=True,
    )
    for positions, target, first, end, context, copied, scores in rows:
        holes = tuple(zip(first, end, strict=True))
        own = tuple(surface[place] for place in positions)
        made.append(
            SentenceOption(
                tuple(positions),
                _target(target, own, words),
                holes,
                None if context < 0 else tuple(p for k, p in enumerate(positions) if context >> k & 1),
                copied,
                dict(zip(names, scores, strict=True)),
            )
        )
    return made


def _target(numbers: list[int], own: tuple[str, ...], words: dict[int, str]) -> tuple[str | None, ...]:
    """The words of a target side; unknown ones are those of the source, as they are copied."""
    copies = itertools.chain(own, itertools.repeat(""))
    # The table's name for a hole is empty.
    return tuple((next(copies) if number == _COPIED else words[number]) or None for number in numbers)


def _split(values: npt.NDArray[np.int32] | npt.NDArray[np.uint32], offsets: npt.NDArray[np.int32]) -> list[list[int]]:
    plain, bounds = values.tolist(), offsets.tolist()
    return [plain[first:end] for first, end in itertools.pairwise(bounds)]
