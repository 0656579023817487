"""Compiled catalogues (``.mo``), in either byte order."""

from __future__ import annotations

import struct
from collections import Counter

from graphmt.corpus.messages import MAX_FORMS, Catalogue, Message, charset_of, languages_of
from graphmt.errors import InputError

#: The first four bytes, and the byte order they indicate.
MAGIC = {b"\xde\x12\x04\x95": "<", b"\x95\x04\x12\xde": ">"}


def parse(data: bytes, name: str) -> Catalogue:
    """The catalogue in ``data``; ``name`` is used in errors."""
    order = MAGIC[data[:4]]
    if len(data) < 20:
        raise InputError(f"{len(data)} bytes; a compiled catalogue has a header of at least 20.", file=name)
    revision, count, ids, translations = struct.unpack_from(f"{order}4I", data, 4)
    if revision >> 16 > 1:
        raise InputError(f"revision {revision >> 16} of the .mo format; 0 and 1 are known.", file=name)
    texts = [_strings(data, name, order, table, count) for table in (ids, translations)]
    header = next((text for key, text in zip(*texts, strict=True) if key == b""), b"")
    fields = header.decode("ascii", "replace")
    charset = charset_of(fields, name)
    messages = []
    skipped: Counter[str] = Counter()
    for number, (key, text) in enumerate(zip(*texts, strict=True), 1):
        if key == b"":
            continue
        try:
            context, mark, rest = key.decode(charset).rpartition("\x04")
            forms = tuple(text.decode(charset).split("\0"))
        except UnicodeDecodeError as error:
            raise InputError(f"message {number} is not {charset}: {error.reason}.", file=name) from None
        singular, plural_mark, plural = rest.partition("\0")
        if len(forms) > MAX_FORMS:
            raise InputError(f"message {number} has {len(forms)} plural forms; {MAX_FORMS} are the most.", file=name)
        if all(forms):
            messages.append(Message(singular, forms, plural if plural_mark else None, context if mark else None))
        else:
            skipped["untranslated"] += 1
    return Catalogue(tuple(messages), dict(skipped), charset, languages_of(fields))


def _strings(data: bytes, name: str, order: str, table: int, count: int) -> list[bytes]:
    if table + 8 * count > len(data):
        raise InputError(
            f"a table of {count} strings at byte {table} does not fit into {len(data)} bytes.",
            file=name,
            hint="The file is truncated or damaged; compile it again with msgfmt.",
        )
    found, total = [], 0
    for number in range(count):
        length, start = struct.unpack_from(f"{order}2I", data, table + 8 * number)
        total += length
        # A NUL byte ends every string and is not counted in its length.
        if start + length >= len(data) or data[start + length] != 0:
            raise InputError(
                f"string {number + 1} (bytes {start} to {start + length}) has no end or ends outside.",
                file=name,
                hint="The file is truncated or damaged; compile it again with msgfmt.",
            )
        # Only overlapping strings can be longer than the file together; no compiler writes those.
        if total > len(data):
            raise InputError(
                f"its strings overlap: {number + 1} of them are longer than the file together.",
                file=name,
                hint="The file is damaged; compile it again with msgfmt.",
            )
        found.append(data[start : start + length])
    return found
