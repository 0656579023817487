"""The values of a JSON file as a stream: a value on each line, or the elements of one array over several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphmt.errors import InputError
from graphmt.nbest.record import Lines
from graphmt.storage.files import MAX_LINE

#: A string goes to the end of the line if it is not closed, so that it is read once.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},]')


def json_texts(lines: Lines, name: str) -> Iterator[tuple[int, str, bool]]:
    """The first line, the text and the place of each value: whether it is an element of the file's array."""
    for at, line in lines:
        if not line.strip():
            continue
        if line.lstrip().startswith("[") and _depth(line) > 0:
            yield from ((at, text, True) for at, text in _elements(at, line, lines, name))
            return
        yield at, line, False
        break
    yield from ((at, line, False) for at, line in lines if line.strip())


def _depth(line: str) -> int:
    """The number of brackets that a line leaves open."""
    tokens = [found[0] for found in _TOKEN.finditer(line)]
    return sum(token in "[{" for token in tokens) - sum(token in "]}" for token in tokens)


def _elements(at: int, line: str, lines: Lines, name: str) -> Iterator[tuple[int, str]]:
    """The elements of an array that begins on this line. Each is scanned once, whatever number of lines it has."""
    parts: list[str] = []
    depth = size = 0
    begun: int | None = None
    while True:
        start = 0
        for found in _TOKEN.finditer(line):
            token = found[0]
            if token in "[{":
                depth += 1
                if depth == 1:
                    start = found.end()
                continue
            ends = token in "]}"
            depth -= ends
            if depth == (0 if ends else 1) and token in "]},":
                text = "".join([*parts, line[start : found.start()]])
                start, parts, size = found.end(), [], 0
                if text.strip():
                    yield begun or at, text
                elif token == ",":
                    raise InputError("an element of the array is missing before a comma.", file=name, line=at)
                begun = None
                if depth == 0:
                    _require_end(line[start:], at, lines, name)
                    return
        if line[start:].strip() or parts:
            begun = begun or at
            parts += [line[start:], "\n"]
            size += len(line) - start
            if size > MAX_LINE:
                raise InputError(f"an element of more than {MAX_LINE >> 20} MiB.", file=name, line=begun)
        following = next(lines, None)
        if following is None:
            raise InputError(
                "the file ends within its JSON array.", file=name, line=at, hint="Copy it again, or close the array."
            )
        at, line = following


def _require_end(rest: str, at: int, lines: Lines, name: str) -> None:
    while not rest.strip():
        following = next(lines, None)
        if following is None:
            return
        at, rest = following
    raise InputError("text after the end of the JSON array.", file=name, line=at)
