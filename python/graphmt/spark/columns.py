"""Columns of Arrow batches as the core reads them, without a Python object for each text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmt.spark.row_numbers import MOST_ROWS, numbers_of

if TYPE_CHECKING:
    import pyarrow

#: Numbers of lines for language models are lower than this: 25 bits are for the places of words.
MOST_LINES = 1 << 38


class TextColumn(NamedTuple):
    """Texts in UTF-8: text k is ``data[offsets[k] : offsets[k + 1]]``."""

    offsets: NDArray[np.int32]
    data: NDArray[np.uint8]

    @classmethod
    def of(cls, column: pyarrow.Array) -> TextColumn:
        """A column of text; nulls are empty texts."""
        import pyarrow

        if column.type != pyarrow.string():
            column = column.cast(pyarrow.string())
        if column.null_count:
            column = column.fill_null("")
        _, offsets, data = column.buffers()
        if not len(column) or offsets is None:
            return cls(np.zeros(1, np.int32), np.empty(0, np.uint8))
        places = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
        texts = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        # A slice of a column shares the buffers of the whole.
        return cls(places - places[0], texts[places[0] : places[-1]])


class NumberedLines(NamedTuple):
    """Lines, in the order of their numbers."""

    numbers: NDArray[np.int64]
    texts: TextColumn

    @classmethod
    def of(cls, batch: pyarrow.RecordBatch) -> NumberedLines:
        """The columns of a batch."""
        batch = in_order(batch, MOST_LINES)
        return cls(numbers_of(batch, MOST_LINES), TextColumn.of(batch.column("text")))


class PairColumns(NamedTuple):
    """Sentence pairs, in the order of their numbers."""

    numbers: NDArray[np.int64]
    source: TextColumn
    target: TextColumn
    alignment: TextColumn
    trees: TextColumn | None

    @classmethod
    def of(cls, batch: pyarrow.RecordBatch, *, trees: bool) -> PairColumns:
        """The columns of a batch that is sorted by number."""
        source, target, alignment = (TextColumn.of(batch.column(name)) for name in ("source", "target", "alignment"))
        return cls(numbers_of(batch), source, target, alignment, TextColumn.of(batch.column("tree")) if trees else None)


def in_order(batch: pyarrow.RecordBatch, most: int = MOST_ROWS) -> pyarrow.RecordBatch:
    """A batch sorted by number; numbers that are null or not below ``most`` are rejected."""
    numbers = numbers_of(batch, most)
    return batch if np.all(numbers[:-1] <= numbers[1:]) else batch.sort_by("number")
