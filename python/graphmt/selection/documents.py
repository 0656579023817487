"""Document boundaries, for models that use whole documents.

A mark begins a document. Before the first mark, documents have a fixed number of sentences. Later text has no
influence, so that a long text can be split between documents and each part processed separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


class _Counter:
    def __init__(self, length: int) -> None:
        self._length, self._number, self._sentences, self._marked = length, -1, 0, False

    def number(self, mark: bool) -> int:
        """The number of the next sentence's document."""
        self._marked = self._marked or mark
        full = not self._marked and self._sentences == self._length > 0
        if mark or full or self._number < 0:
            self._number, self._sentences = self._number + 1, 0
        self._sentences += 1
        return self._number


def documents(marks: Iterable[bool], length: int) -> list[int]:
    """The number of each sentence's document. ``marks`` says which sentences begin one; before the first that does,
    documents have ``length`` sentences (0: all are one)."""
    counter = _Counter(length)
    return [counter.number(mark) for mark in marks]


def whole_documents(sentences: Iterable[T], begins: Callable[[T], bool], length: int, least: int) -> Iterator[list[T]]:
    """Chunks of at least ``least`` sentences, split only between documents."""
    counter, chunk, last = _Counter(length), list[T](), 0
    for sentence in sentences:
        number = counter.number(begins(sentence))
        if number != last and len(chunk) >= least:
            yield chunk
            chunk = []
        last = number
        chunk.append(sentence)
    if chunk:
        yield chunk
