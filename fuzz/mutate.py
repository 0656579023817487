"""Mutators: from a seed to a damaged input, decided by a random number generator alone."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Sequence

from fuzz import tokens

#: Longest input that mutators make of a seed: repeated chunks reach deep nesting, not large files.
LONGEST = 1 << 18

_DIGITS = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_FIELD = re.compile(rb"[^\t\n =:,|<>\"]+")
_INTEGERS = (0, 1, 2, 3, 7, 8, 255, 256, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
_FLOATS = tuple(struct.unpack("<I", struct.pack("<f", v))[0] for v in (float("nan"), float("inf"), -1e38, 1e38, -0.0))

Mutator = Callable[[random.Random, bytearray], None]


def _range(chance: random.Random, data: bytearray, most: int = 64) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    length = chance.choice((1, 2, 4, 8, 16, chance.randint(1, most), chance.randint(1, max(1, len(data) // 2))))
    return start, min(len(data), start + length)


def flip_bits(chance: random.Random, data: bytearray) -> None:
    """Turn over one to four bits."""
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def change_byte(chance: random.Random, data: bytearray) -> None:
    """Set a byte to any value."""
    data[chance.randrange(len(data))] = chance.randrange(256)


def truncate(chance: random.Random, data: bytearray) -> None:
    """Cut the end off."""
    del data[chance.randrange(len(data)) :]


def zero_range(chance: random.Random, data: bytearray) -> None:
    """Set a range to zero, as a file system does with blocks that were never written."""
    start, end = _range(chance, data)
    data[start:end] = bytes(end - start)


def delete_range(chance: random.Random, data: bytearray) -> None:
    """Take a range out."""
    start, end = _range(chance, data)
    del data[start:end]


def duplicate_range(chance: random.Random, data: bytearray) -> None:
    """Repeat a range, once or many times."""
    start, end = _range(chance, data)
    chunk = bytes(data[start:end])
    if chunk:
        times = chance.choice((1, 1, 2, 3, 1 << chance.randint(0, 14)))
        data[end:end] = chunk * min(times, max(1, (LONGEST - len(data)) // len(chunk)))


def move_range(chance: random.Random, data: bytearray) -> None:
    """Move a range to another place."""
    start, end = _range(chance, data)
    chunk = bytes(data[start:end])
    del data[start:end]
    to = chance.randrange(len(data) + 1)
    data[to:to] = chunk


def insert_bytes(chance: random.Random, data: bytearray) -> None:
    """Put a few random bytes in."""
    at = chance.randrange(len(data) + 1)
    data[at:at] = chance.randbytes(chance.randint(1, 8))


def write_integer(chance: random.Random, data: bytearray) -> None:
    """Overwrite a number of a binary format: at its boundaries, or next to what it was."""
    size = chance.choice((1, 2, 4, 4, 4, 8))
    if len(data) < size:
        return
    at = (
        chance.randrange(0, len(data) - size + 1, size)
        if chance.random() < 0.9
        else chance.randrange(len(data) - size + 1)
    )
    old = int.from_bytes(data[at : at + size], "little")
    near = old + chance.choice((-1, 1, -2, 2, 64, 1 << (8 * size - 1)))
    value = chance.choice((chance.choice(_INTEGERS), chance.choice(_FLOATS), near, len(data), chance.getrandbits(32)))
    if chance.random() < 0.1:
        value |= value << 32
    data[at : at + size] = (value & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


def _replace(chance: random.Random, data: bytearray, pattern: re.Pattern[bytes], by: Sequence[bytes]) -> None:
    # A random place first: finding all matches of a whole file would take most of the time.
    start = chance.randrange(len(data) + 1)
    found = pattern.search(data, start) or pattern.search(data)
    if found:
        data[found.start() : found.end()] = chance.choice(by)


def change_number(chance: random.Random, data: bytearray) -> None:
    """Replace a written number by one at the limits of some type, or make it longer."""
    if chance.random() < 0.3:
        _replace(chance, data, re.compile(rb"\d"), [bytes([48 + chance.randrange(10)]) * chance.choice((1, 2, 9, 400))])
    else:
        _replace(chance, data, _DIGITS, tokens.NUMBERS)


def change_field(chance: random.Random, data: bytearray) -> None:
    """Replace a word or field by a troublesome one."""
    _replace(chance, data, _FIELD, tokens.WORDS)


def change_lines(chance: random.Random, data: bytearray) -> None:
    """Delete, repeat, swap or empty whole lines."""
    rows = bytes(data).split(b"\n")
    one, other = chance.randrange(len(rows)), chance.randrange(len(rows))
    kind = chance.randrange(5)
    if kind == 0:
        del rows[one]
    elif kind == 1:
        rows[one:one] = [rows[other]] * chance.choice((1, 2, 50))
    elif kind == 2:
        rows[one], rows[other] = rows[other], rows[one]
    elif kind == 3:
        rows[one] = b""
    else:
        rows[one] += rows[other]
    data[:] = b"\n".join(rows)[:LONGEST]


BINARY: tuple[Mutator, ...] = (
    flip_bits, change_byte, truncate, zero_range, delete_range, duplicate_range, move_range, insert_bytes,
    write_integer, write_integer, write_integer,
)  # fmt: skip
TEXT: tuple[Mutator, ...] = (
    flip_bits, change_byte, truncate, zero_range, delete_range, duplicate_range, move_range, insert_bytes,
    change_number, change_number, change_field, change_field, change_lines, change_lines,
)  # fmt: skip
#: Those that leave the length as it is: the parts of a binary file then still fit together.
IN_PLACE: tuple[Mutator, ...] = (flip_bits, change_byte, zero_range, write_integer, write_integer, write_integer)


class Mutation:
    """Damages data with some mutators and the ``special`` words of a format."""

    def __init__(self, mutators: Sequence[Mutator], special: Sequence[bytes] = ()) -> None:
        self._mutators, self._tokens = mutators, special

    def __call__(self, chance: random.Random, data: bytes, others: Sequence[bytes] = ()) -> bytes:
        """Apply one to four mutators; ``others`` are further seeds, to splice with."""
        made = bytearray(data)
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
            draw = chance.random()
            if not made or (self._tokens and draw < 0.15):
                self._put_token(chance, made)
            elif others and draw > 0.95:
                other = chance.choice(others)
                made[chance.randrange(len(made)) :] = other[chance.randrange(len(other) + 1) :]
            else:
                chance.choice(self._mutators)(chance, made)
        return bytes(made[:LONGEST])

    def _put_token(self, chance: random.Random, made: bytearray) -> None:
        token = chance.choice(self._tokens or tokens.WORDS)
        if chance.random() < 0.1:
            token *= min(1 << chance.randint(1, 15), LONGEST // max(1, len(token)))
        start, end = _range(chance, made, 16)
        made[start : end if chance.random() < 0.3 else start] = token
