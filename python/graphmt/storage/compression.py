"""Compressed files (gzip, bzip2, xz, zstd), by the core: recognised by their content, written by their names."""

from __future__ import annotations

import io
import os
from typing import IO, Any

from graphmt import _core

#: How many first bytes of a file tell how it is compressed.
_MAGIC = 10
_BUFFER = 1 << 17


def is_compressed(head: bytes) -> bool:
    """Whether a file that starts so is compressed."""
    return _core.compression_of_content(head) is not None


def plain_name(path: str | os.PathLike[str]) -> str:
    """A file name without the end that says how the file is compressed."""
    return _core.uncompressed_name(os.fspath(path))


def unpacked(raw: Any, name: str) -> Any:
    """A stream of what a buffered stream of bytes holds, which is itself if it is not compressed."""
    return io.BufferedReader(_Unpacking(raw, name), _BUFFER) if is_compressed(raw.peek(_MAGIC)[:_MAGIC]) else raw


def packed(data: bytes, name: str | os.PathLike[str]) -> bytes:
    """Bytes as a file of this name holds them."""
    packer = _core.Packer(name)
    return b"".join([packer.pack(data), packer.finish()])


class _Unpacking(io.RawIOBase):
    """The content of a compressed stream."""

    def __init__(self, raw: Any, name: str) -> None:
        self._unpacker = _core.Unpacker(raw, name)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._unpacker.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


class Packing(io.BufferedIOBase):
    """A stream whose bytes are compressed into an open file, as the name of the file says; closing leaves that open.

    Parameters
    ----------
    raw
        The file.
    name
        Its final name. Equal content gives equal bytes.
    """

    def __init__(self, raw: IO[bytes], name: str | os.PathLike[str]) -> None:
        self._raw = raw
        self._packer = _core.Packer(name)

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any) -> int:
        """Compress some bytes."""
        self._raw.write(self._packer.pack(data))
        return len(data)

    def close(self) -> None:
        """Write what is left."""
        if not self.closed:
            try:
                super().close()
            finally:
                self._raw.write(self._packer.finish())
