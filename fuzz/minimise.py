"""Smaller inputs with the same failure."""

from __future__ import annotations

from collections.abc import Callable

#: Attempts for an input: enough for small files, little enough to be cheap.
ATTEMPTS = 150


def minimised(data: bytes, fails: Callable[[bytes], bool], attempts: int = ATTEMPTS) -> bytes:
    """Drop chunks, from halves to single bytes, as long as the input still fails."""
    size = len(data) // 2
    while size and attempts > 0:
        start = 0
        while start < len(data) and attempts > 0:
            attempts -= 1
            shorter = data[:start] + data[start + size :]
            if fails(shorter):
                data = shorter
            else:
                start += size
        size //= 2
    return data
