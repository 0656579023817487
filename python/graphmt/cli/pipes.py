"""Standard input as it arrives, so that a program at the other end of a pipe gets each answer before it goes on."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections import deque
from collections.abc import Iterator
from typing import Any

from graphmt import _core
from graphmt.errors import GraphmtError
from graphmt.storage.compression import is_compressed
from graphmt.storage.files import decoded_lines, name_of

#: Bytes read at a time, and those examined to tell the format.
_BLOCK = 1 << 16
_HEAD = 1 << 13
#: A comment that only CoNLL-U starts with, as far as can be told from one line.
_CONLLU_COMMENT = re.compile(rb"# ?(?:sent_id|text|newdoc|newpar|global\.columns)\b")


class ArrivingLines:
    """Lines of a stream in chunks, each of which waits for its first line only.

    A program that writes a line and waits for its translation gets chunks of one line. If lines arrive faster than
    they are translated, as from a file, the chunks are full.

    Parameters
    ----------
    stream
        A buffered stream of bytes.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._waiting: deque[bytes] = deque()
        self._unfinished = b""

    def chunks(self, size: int) -> Iterator[list[str]]:
        """Chunks of at most ``size`` lines: those that have arrived, or the next one."""
        lines = decoded_lines(self, "-")
        for first in lines:
            chunk = [first]
            while len(chunk) < size and self._waiting:
                chunk.append(next(lines))
            yield chunk

    def readline(self, limit: int) -> bytes:
        """The next line with its end, or as many bytes of it as ``limit`` allows; nothing at the end of the stream."""
        pieces = [self._unfinished]
        length = len(self._unfinished)
        while not self._waiting and length < limit:
            block = self._stream.read1(_BLOCK)
            if not block:
                break
            length += len(block)
            first, *others = block.split(b"\n")
            pieces.append(first)
            if others:
                self._waiting += (b"".join(pieces) + b"\n", *(line + b"\n" for line in others[:-1]))
                pieces = [others[-1]]
        self._unfinished = b"".join(pieces)
        if not self._waiting:
            line, self._unfinished = self._unfinished[:limit], self._unfinished[limit:]
            return line
        return self._waiting.popleft()


def is_live() -> bool:
    """Whether standard input is a pipe or a socket, at whose other end a program may wait for an answer."""
    try:
        mode = os.fstat(sys.stdin.buffer.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        # Standard input is closed, or replaced by an object that is no file.
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def format_of_input(format: str = "auto") -> str:
    """The format of standard input, by what has arrived: ``text``, ``compressed`` or ``conllu``. Nothing is consumed.

    Markup is rejected, unless the input was said to be ``text``.
    """
    stream: Any = sys.stdin.buffer
    head = stream.peek(_HEAD)[:_HEAD]
    if is_compressed(head):
        return "compressed"
    if format == "text":
        return format
    _core.require_plain(name_of("-"), head, trees=True)
    try:
        _core.require_plain(name_of("-"), head)
    except GraphmtError:
        return "conllu"
    return "conllu" if _CONLLU_COMMENT.match(head) else "text"
