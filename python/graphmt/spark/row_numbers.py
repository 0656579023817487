"""Numbers of rows: checked where they are read, and summed up so that rows that are lost or repeated are noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmt.errors import InputError
from graphmt.storage.files import AnyPath

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame

#: Numbers are lower than this, so that there is room for the places of words beside them in 63 bits.
MOST_ROWS = 1 << 42

_HINT = "Number the rows from 0, without gaps, for instance with row_number() - 1 or zipWithIndex()."

_AGAIN = "All executors must see this folder as the driver does. Run the command again."

#: Numbers that are hashed at once.
_BLOCK = 1 << 20


class Tally(NamedTuple):
    """How many rows there are, and the exclusive or of the hashes of their numbers: the same in any order.

    As many rows with other numbers have another tally.
    """

    rows: int = 0
    digest: int = 0

    @classmethod
    def of(cls, numbers: NDArray[np.int64]) -> Tally:
        """The tally of rows with these numbers."""
        return cls(len(numbers), int(np.bitwise_xor.reduce(hashes(numbers), initial=np.uint64(0))))

    @classmethod
    def of_first(cls, rows: int) -> Tally:
        """The tally of the numbers from 0."""
        made = cls()
        for start in range(0, rows, _BLOCK):
            made = made.joined(cls.of(np.arange(start, min(start + _BLOCK, rows))))
        return made

    def joined(self, other: Tally) -> Tally:
        """The tally of these rows and others."""
        return Tally(self.rows + other.rows, self.digest ^ other.digest)


def hashes(numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Spark's function ``xxhash64`` of numbers (XXH64 of eight bytes, with the seed 42)."""
    p1, p2, p3, p4, p5 = (
        np.uint64(prime)
        for prime in (
            0x9E3779B185EBCA87,
            0xC2B2AE3D27D4EB4F,
            0x165667B19E3779F9,
            0x85EBCA77C2B2AE63,
            0x27D4EB2F165667C5,
        )
    )

    def turned(values: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
        made: NDArray[np.uint64] = (values << np.uint64(bits)) | (values >> np.uint64(64 - bits))
        return made

    with np.errstate(over="ignore"):
        start = np.uint64(42 + 8) + p5
        mixed = start ^ (turned(numbers.astype(np.uint64) * p2, 31) * p1)
        mixed = turned(mixed, 27) * p1 + p4
        mixed = (mixed ^ (mixed >> np.uint64(33))) * p2
        mixed = (mixed ^ (mixed >> np.uint64(29))) * p3
        made: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(32))
    return made


def numbers_of(batch: pyarrow.RecordBatch, most: int = MOST_ROWS) -> NDArray[np.int64]:
    """The column ``number`` of a batch; null and numbers that are out of range are rejected."""
    column = batch.column("number")
    if column.null_count:
        raise without_number()
    numbers: NDArray[np.int64] = column.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    outside = numbers[(numbers < 0) | (numbers >= most)]
    if len(outside):
        raise out_of_range(int(outside[0]), most)
    return numbers


def require_distinct(numbers: NDArray[np.int64]) -> None:
    """Reject a number that is there twice."""
    ordered = np.sort(numbers)
    same = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(same):
        raise repeated(int(same[0]), int((numbers == same[0]).sum()))


def without_number() -> InputError:
    """The error for a row whose number is null."""
    return InputError("a row has no number: its column number is null.", hint=_HINT)


def out_of_range(number: int, most: int) -> InputError:
    """The error for a number below 0 or too high."""
    return InputError(f"the row number {number} is not from 0 to {most - 1}.", hint=_HINT)


def repeated(number: object, times: object) -> InputError:
    """The error for a number of several rows."""
    return InputError(f"{times} rows have the number {number}; each needs its own.", hint=_HINT)


def tally(rows: DataFrame) -> Tally:
    """The tally of a DataFrame, whose numbers are not checked."""
    [about] = rows.agg(*_totals()).collect()
    return _of_row(about)


def checked_tally(rows: DataFrame, most: int = MOST_ROWS) -> Tally:
    """The tally of a DataFrame; numbers that are null, out of range or there twice are rejected."""
    from pyspark.sql import functions

    number = functions.col("number")
    edges = functions.count(number).alias("numbers"), functions.min(number).alias("low"), functions.max(number)
    [about] = rows.agg(*_totals(), *edges[:2], edges[2].alias("high")).collect()
    if about.numbers < about.rows:
        raise without_number()
    for edge in (about.low, about.high):
        if edge is not None and not 0 <= edge < most:
            raise out_of_range(edge, most)
    made = _of_row(about)
    if not is_gapless(made, about.high):
        require_no_repeats(rows)
    return made


def portion_tallies(rows: DataFrame, size: int) -> dict[int, Tally]:
    """The tallies of portions of so many numbers each."""
    from pyspark.sql import functions

    portions = rows.groupBy(functions.expr(f"number div {size}").alias("portion")).agg(*_totals())
    return {row.portion: _of_row(row) for row in portions.collect()}


def is_gapless(known: Tally, highest: int | None) -> bool:
    """Whether numbers with this tally are all from 0 to the highest one, each once."""
    if highest is None:
        return known.rows == 0
    return known.rows == highest + 1 and known == Tally.of_first(known.rows)


def require_no_repeats(rows: DataFrame) -> None:
    """Reject numbers that are there twice."""
    from pyspark.sql import functions

    times = rows.groupBy("number").agg(functions.count("*").alias("times")).where("times > 1")
    for row in times.orderBy("number").limit(1).collect():
        raise repeated(row.number, row.times)


def _totals() -> list[Column]:
    from pyspark.sql import functions

    hashed = functions.xxhash64(functions.col("number").cast("long"))
    return [functions.count("*").alias("rows"), functions.bit_xor(hashed).alias("digest")]


def _of_row(about: Any) -> Tally:
    # Spark's numbers have signs.
    return Tally(about.rows, (about.digest or 0) & ((1 << 64) - 1))


def require_all(expected: Tally, found: Tally, what: str, file: AnyPath) -> None:
    """Reject a stage whose rows are not those that went in."""
    if found == expected:
        return
    if found.rows != expected.rows:
        raise lost_rows(what, found.rows, expected.rows, file)
    raise InputError(
        f"{what} made rows of other numbers than were given, so they are not used.", file=file, hint=_AGAIN
    )


def require_written(lines: int, rows: int, file: AnyPath) -> None:
    """Reject an output, before it is put in its place, that lacks rows."""
    if lines != rows:
        raise lost_rows("reading the results", lines, rows, file)


def lost_rows(what: str, found: int, expected: int, file: AnyPath) -> InputError:
    """The error for a stage with fewer or more rows than went in."""
    return InputError(f"{what} made {found:,} rows of {expected:,}, so they are not used.", file=file, hint=_AGAIN)
