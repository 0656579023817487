"""Messages between a pool and its workers: a length, then a pickled value."""

from __future__ import annotations

import pickle
import struct
from typing import IO, Any

_LENGTH = struct.Struct("<Q")


def packed(value: Any) -> bytes:
    """A value as the contents of a message."""
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def send(stream: IO[bytes], content: bytes) -> None:
    """Write a message."""
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """The contents of the next message.

    Raises
    ------
    EOFError
        If the other side has gone.
    """
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content
