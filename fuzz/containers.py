"""File formats with checksums: damage to the content that leaves the container valid.

A flipped bit in such a file is refused by its checksum and says nothing of the code behind it. Here the content is
damaged first and the checksums are computed anew, so that readers get to see it.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

from graphmt._core import checksum

from fuzz import tokens
from fuzz.mutate import BINARY, IN_PLACE, TEXT, Mutation

#: Makes an input of a seed; the last argument are the other seeds of the reader.
Damage = Callable[[random.Random, bytes, Sequence[bytes]], bytes]

#: Bytes that one checksum covers.
_BLOCK = 1 << 18

#: How often the file is damaged as it lies, checksums and all.
_RAW = 0.15


def block_sums(body: bytes) -> bytes:
    """The checksums of blocks, as ``rust/src/store/blocks.rs`` writes them behind the body of a file."""
    return b"".join(struct.pack("<Q", checksum(body[at : at + _BLOCK])) for at in range(0, len(body), _BLOCK))


class Sections:
    """Tables and models of ``rust/src/store/mapped.rs``: a header, sections, and the checksums of both."""

    head, entry, alignment = 48, 16, 64

    def __init__(self) -> None:
        self._raw, self._resized, self._placed = Mutation(BINARY), Mutation(BINARY), Mutation(IN_PLACE)

    def __call__(self, chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
        """A file with one to three damaged sections, or a damaged file."""
        if chance.random() < _RAW:
            return self._raw(chance, data, others)
        sections = self.split(data)
        for _ in range(chance.choice((1, 1, 2, 3))):
            number = chance.randrange(len(sections))
            mutation = self._placed if chance.random() < 0.7 and sections[number] else self._resized
            sections[number] = mutation(chance, sections[number])
        return self.join(data, sections)

    def split(self, data: bytes) -> list[bytes]:
        """The sections."""
        number = struct.unpack_from("<I", data, 12)[0]
        entries = [struct.unpack_from("<2Q", data, self.head + k * self.entry) for k in range(number)]
        return [data[start : start + size] for start, size in entries]

    def join(self, data: bytes, sections: Sequence[bytes]) -> bytes:
        """The file ``data`` with other sections, and checksums that fit them."""
        at = self.head + self.entry * len(sections)
        table, body = [], []
        for section in sections:
            gap = -at % self.alignment
            at += gap
            table.append(struct.pack("<2Q", at, len(section)))
            body += [bytes(gap), section]
            at += len(section)
        sums = block_sums(b"".join(body))
        head = data[:16] + struct.pack("<4Q", at + len(sums), 0, at, checksum(sums)) + b"".join(table)
        return b"".join([head[:24], struct.pack("<Q", checksum(head)), head[32:], *body, sums])


class LanguageModelFile:
    """Binary language models: a header of numbers, a body, and the checksums of both."""

    size = 256

    def __init__(self) -> None:
        self._raw, self._placed = Mutation(BINARY), Mutation(IN_PLACE)

    def __call__(self, chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
        """A model with damaged content or header numbers and fitting checksums, or a damaged file."""
        draw = chance.random()
        if draw < _RAW:
            return self._raw(chance, data, others)
        head, body = self.split(data)
        if draw < 0.3:
            at = 40 + 8 * chance.randrange(22)
            head = head[:at] + self._placed(chance, head[at : at + 8]) + head[at + 8 :]
        else:
            body = self._placed(chance, body)
        return self.join(head, body)

    def split(self, data: bytes) -> tuple[bytes, bytes]:
        """Header and body."""
        blocks = -(-(len(data) - self.size - 8) // _BLOCK)
        return data[: self.size], data[self.size : -8 * blocks]

    def join(self, head: bytes, body: bytes) -> bytes:
        """The file with its length and its checksums put right."""
        sums = block_sums(body)
        length = self.size + len(body) + len(sums)
        head = head[:16] + bytes(8) + struct.pack("<2Q", length, checksum(sums)) + head[40:]
        return head[:16] + struct.pack("<Q", checksum(head)) + head[24:] + body + sums


class Gzip:
    """Gzip around text: damage on either side of the compression."""

    def __init__(self, special: Sequence[bytes] = ()) -> None:
        self._raw, self._text = Mutation(BINARY), Mutation(TEXT, special)

    def __call__(self, chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
        """A valid gzip file with damaged text, or a damaged gzip file."""
        if chance.random() < 0.5:
            return self._raw(chance, data, others)
        return gzip.compress(self._text(chance, gzip.decompress(data)), 1, mtime=0)


class Sealed:
    """JSON that carries its own digest: ``seal`` adds the one that fits."""

    def __init__(self, seal: Callable[[dict[str, Any]], dict[str, Any]], digest: str) -> None:
        self._text, self._seal, self._digest = Mutation(TEXT, tokens.JSON), seal, digest

    def __call__(self, chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
        """A file with a damaged value and the digest of that; or a damaged file, which may be JSON no more."""
        made = self._text(chance, data, others)
        if chance.random() < _RAW:
            return made
        try:
            content = json.loads(made)
            content.pop(self._digest, None)
            return json.dumps(self._seal(content)).encode()
        except (ValueError, AttributeError, TypeError, RecursionError):
            return made


class Zip:
    """NumPy's ``.npz``: arrays as files in a zip archive."""

    def __init__(self) -> None:
        self._raw, self._member = Mutation(BINARY), Mutation(BINARY, tokens.NPY)

    def __call__(self, chance: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
        """A valid archive with a damaged array, or a damaged archive."""
        if chance.random() < 0.4:
            return self._raw(chance, data, others)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        chosen = chance.choice(sorted(members))
        if chance.random() < 0.05:
            del members[chosen]
        else:
            members[chosen] = self._member(chance, members[chosen])
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name), content)
        return made.getvalue()
