"""The checksums of binary files, written a second time: for files that are damaged and yet say that they are whole."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from graphmt.model.manifest import Manifest
from graphmt.storage.known_files import identities

A, B, C = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F
MASK = (1 << 64) - 1
BLOCK = 1 << 18


def rotate(value: int, by: int) -> int:
    return (value << by | value >> (64 - by)) & MASK


def checksum(data: bytes) -> int:
    lanes = [A, B, C, len(data)]
    for start in range(0, len(data), 32):
        for lane, at in enumerate(range(start, min(start + 32, len(data)), 8)):
            value = int.from_bytes(data[at : at + 8], "little")
            lanes[lane] = rotate((lanes[lane] ^ value) * A & MASK, 29)
    whole = 0
    for lane in lanes:
        whole = rotate((whole ^ lane) * B & MASK, 31)
    return whole


def number(data: bytes | bytearray, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def sums_of(body: bytes) -> bytes:
    return b"".join(checksum(body[at : at + BLOCK]).to_bytes(8, "little") for at in range(0, len(body), BLOCK))


def body(data: bytes | bytearray) -> range:
    """Where the content of a language model or of another binary file is, behind the header and before the sums."""
    if data.startswith(b"graphmtL"):
        # The checksums are as many as fit.
        start, end = 256, len(data)
        while end - start > 0 and -(-(end - start) // BLOCK) * 8 != len(data) - end:
            end -= 8
        return range(start, end)
    return range(48 + 16 * number(data, 12, 4), number(data, 32))


def sealed(data: bytes | bytearray) -> bytes:
    """The file with checksums that fit its damaged content."""
    out, content = bytearray(data), body(data)
    out[content.stop :] = sums_of(bytes(out[content.start : content.stop]))
    of_sums, of_header = (32, 16) if data.startswith(b"graphmtL") else (40, 24)
    out[of_sums : of_sums + 8] = checksum(bytes(out[content.stop :])).to_bytes(8, "little")
    out[of_header : of_header + 8] = bytes(8)
    out[of_header : of_header + 8] = checksum(bytes(out[: content.start])).to_bytes(8, "little")
    return bytes(out)


def with_digests(folder: Path) -> Path:
    """A model folder whose manifest takes the files as they are now for those that training wrote."""
    manifest = Manifest.load(folder)
    files = identities(folder, [name for name in manifest.files if (folder / name).exists()])
    dataclasses.replace(manifest, files=files).save(folder)
    return folder


def without_digests(folder: Path) -> Path:
    """A model folder whose manifest knows no file."""
    dataclasses.replace(Manifest.load(folder), files={}).save(folder)
    return folder
