"""A trained reordering model."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphmt import _core
from graphmt.errors import InputError
from graphmt.records import from_core
from graphmt.reorder.options import ReorderOptions
from graphmt.reorder.train import Scores
from graphmt.storage.files import AnyPath
from graphmt.storage.sealed import described

#: Where a boundary word stands, in the order of the weights of :meth:`ReorderingModel.weights`.
PLACES = tuple(
    f"{block} {side} {end}" for block in ("left", "right") for side in ("source", "target") for end in ("first", "last")
)


class Block(NamedTuple):
    """A phrase pair: the model looks at the first and the last word of either side.

    Examples
    --------
    >>> from graphmt.reorder import Block
    >>> Block(["gesehen"], ["seen"]).source
    ['gesehen']
    """

    source: Sequence[str]
    target: Sequence[str]


class ReorderingModel:
    """An opened (memory-mapped) reordering model.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> from graphmt.reorder import Block, ReorderingModel
    >>> model = ReorderingModel("btg/reordering.bin")
    >>> 0 < model.straight(Block(["gesehen"], ["seen"]), Block(["hat"], ["has"])) < 1
    True
    """

    def __init__(self, path: AnyPath) -> None:
        self._model = _core.ReorderingModel(path)
        self._path = path

    def __repr__(self) -> str:
        return f"ReorderingModel({os.fspath(self._path)!r}, {self._model.bytes:,} bytes)"

    @property
    def about(self) -> dict[str, Any]:
        """What the model was trained on, and its size in bytes."""
        return {**described(self._model.meta, self._path), "bytes": self._model.bytes}

    def verify(self) -> None:
        """Read the whole file and verify its checksums."""
        self._model.verify()

    def straight(self, left: Block, right: Block) -> float:
        """p(straight | left block, right block); left and right are as the source text has them."""
        return 1 / (1 + math.exp(-self.log_odds([(left, right)])[0]))

    def log_odds(self, pairs: Iterable[tuple[Block, Block]]) -> list[float]:
        """ln p(straight) - ln p(inverted) for each pair of blocks."""
        return self._model.log_odds([(_ends(left), _ends(right)) for left, right in pairs])

    def weights(self, word: str) -> dict[str, float]:
        """The weights of a word at each boundary position: positive favours straight order."""
        return dict(zip(PLACES, self._model.weights(word), strict=True))

    def evaluate(
        self,
        source: AnyPath,
        target: AnyPath,
        alignment: AnyPath,
        options: ReorderOptions | Mapping[str, Any] | None = None,
    ) -> Scores:
        """The model's quality on the examples of another aligned corpus, extracted with ``options``."""
        options = ReorderOptions.of(options)
        return from_core(Scores, self._model.evaluate(_core.CorpusFiles(source, target, alignment), options))


def _ends(block: Block) -> _core.BlockEnds:
    source, target = block
    if not source or not target:
        raise InputError("a block without words.", hint="Give a block as (source words, target words).")
    return _core.BlockEnds(
        source_first=source[0], source_last=source[-1], target_first=target[0], target_last=target[-1]
    )
