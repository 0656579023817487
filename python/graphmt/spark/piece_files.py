"""Bytes that tasks write into files of a stage: Spark passes on only where they are.

A task writes a file of its own, and Spark keeps the rows of one attempt of every task, so files of attempts that failed
are never read.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from graphmt.errors import InputError


class PieceFile:
    """A file that a task appends pieces to."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name, self.stream, self.end = name, stream, 0

    def add(self, data: bytes) -> bytes:
        """Write a piece; returns its place for :func:`read_piece`."""
        self.stream.write(data)
        place = [self.name, self.end, len(data)]
        self.end += len(data)
        return json.dumps(place).encode()


@contextmanager
def piece_file(folder: str) -> Iterator[PieceFile]:
    """A new file in a folder that the driver and all executors see."""
    name = f"{uuid.uuid4().hex}.pieces"
    path = Path(folder) / name
    try:
        with path.open("wb") as stream:
            yield PieceFile(name, stream)
    except OSError as error:
        raise InputError(
            f"a worker cannot write it ({error.strerror}).",
            file=path,
            hint="The folder for intermediate results must be one that all executors see.",
        ) from None


def read_piece(folder: str, place: bytes) -> bytes:
    """The bytes at a place."""
    name, start, size = json.loads(place)
    path = Path(folder) / name
    try:
        with path.open("rb") as stream:
            stream.seek(start)
            data: bytes = stream.read(size)
    except OSError as error:
        raise InputError(
            f"a stage cannot be read ({error.strerror}).",
            file=path,
            hint="Intermediate results must stay until the work is done; delete their folder to begin again.",
        ) from None
    if len(data) != size:
        raise InputError("a stage is incomplete.", file=path, hint="Delete the folder to begin again.")
    return data
