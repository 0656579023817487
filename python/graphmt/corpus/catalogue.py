"""Gettext catalogues (``.po`` and ``.mo``) as parallel text."""

from __future__ import annotations

import gzip
import os
import zlib

from graphmt.corpus import mo, po
from graphmt.corpus.messages import Catalogue, Message
from graphmt.errors import InputError
from graphmt.files import AnyPath, is_gzip, open_bytes

__all__ = ["Catalogue", "Message", "is_catalogue", "read_catalogue"]


def is_catalogue(path: AnyPath) -> bool:
    """Whether the name is that of a gettext catalogue: ``.po``, ``.pot`` or ``.mo``, also with ``.gz``."""
    return os.fspath(path).removesuffix(".gz").endswith((".po", ".pot", ".mo"))


def read_catalogue(path: AnyPath) -> Catalogue:
    """Read a catalogue, plain or gzip. Fuzzy, obsolete and untranslated messages are skipped and counted."""
    data = _content(path)
    name = os.fspath(path)
    if data[:4] in mo.MAGIC:
        return mo.parse(data, name)
    if name.removesuffix(".gz").endswith(".mo"):
        raise InputError("not a compiled catalogue: its first four bytes are not those of a .mo file.", file=name)
    return po.parse(data, name)


def _content(path: AnyPath) -> bytes:
    zipped = is_gzip(path)
    with open_bytes(path) as raw:
        try:
            return gzip.open(raw).read() if zipped else raw.read()
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"damaged gzip data ({error}).", file=path, hint="Copy it again.") from None
        except OSError as error:
            raise InputError(f"{error.strerror or error}.", file=path) from None
