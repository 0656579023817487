"""JSON, TOML and NumPy files of any origin: reading returns plain values or raises ``ValueError``, nothing else.

Python's own readers also raise ``RecursionError`` for deep nesting, ``MemoryError`` for an array as large as a header
claims, or ``TokenError``; and they accept strings that cannot be encoded as UTF-8.
"""

from __future__ import annotations

import json
import math
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from graphmt.errors import InputError, in_words
from graphmt.storage.files import AnyPath, open_bytes, opened_file

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib

#: Raised by code that unpacks parsed values of an unexpected shape.
MALFORMED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)

#: Raised by zipfile for damaged files, in addition to ``ValueError``.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, LookupError)

_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

#: What reads the header of a .npy file, by version: the shape, whether it is stored by column, and the type.
_HEADERS: dict[tuple[int, int], Callable[[IO[bytes]], tuple[tuple[int, ...], bool, np.dtype[Any]]]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def parse_json(text: str) -> Any:
    """The value of a JSON text; all its strings can be encoded as UTF-8."""
    try:
        content = json.loads(text)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(content, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError as error:
        raise ValueError(f"\\u{ord(error.object[error.start]):x} is half of a surrogate pair") from None
    return content


def read_json(path: AnyPath) -> Any:
    """The value of a JSON file; ``OSError`` where it cannot be read, ``InputError`` for a pipe or device."""
    with opened_file(path) as stream:
        return parse_json(stream.read().decode("utf-8"))


def read_toml(path: AnyPath) -> dict[str, Any]:
    """The table of a TOML file; ``InputError`` if it cannot be read or parsed."""
    with open_bytes(path) as stream:
        try:
            table: dict[str, Any] = tomllib.loads(stream.read().decode("utf-8"))
            return table
        except OSError as error:
            raise in_words(path, error) from None
        except RecursionError:
            raise InputError("not a TOML file: it is nested too deeply.", file=path) from None
        except ValueError as error:
            # Also for numbers with thousands of digits.
            raise InputError(f"not a TOML file: {error}.", file=path) from None


def read_array(path: AnyPath) -> npt.NDArray[Any]:
    """The array of an ``.npy`` file; ``OSError`` where it cannot be read."""
    with opened_file(path) as stream:
        return _array(stream, os.fstat(stream.fileno()).st_size)


def read_arrays(path: AnyPath, names: Iterable[str]) -> list[npt.NDArray[Any]]:
    """Some arrays of an ``.npz`` file; ``OSError`` where it cannot be read."""
    with opened_file(path) as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                found = []
                for name in names:
                    about = archive.getinfo(f"{name}.npy")
                    if about.compress_type not in _COMPRESSIONS:
                        raise ValueError("an unknown compression")
                    with archive.open(about) as member:
                        found.append(_array(member, about.file_size))
                return found
        except (*_DAMAGED, OSError) as error:
            # A damaged archive with a negative offset also raises ``OSError``.
            raise ValueError(str(error)) from None


def _array(stream: IO[bytes], size: int) -> npt.NDArray[Any]:
    """The array of a stream of ``size`` bytes, which must match its header."""
    try:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"version {version} of the .npy format")
        try:
            shape, by_column, dtype = _HEADERS[version](stream)
        except Exception as error:
            # NumPy evaluates the header as a Python literal and sorts its keys: a damaged one can raise anything.
            raise ValueError(f"a damaged header: {error}") from None
        wanted = math.prod(shape) * dtype.itemsize
        if dtype.kind not in "fiuU" or dtype.itemsize == 0 or min(shape, default=0) < 0:
            raise ValueError(f"an array of {dtype}")
        if wanted != size - stream.tell():
            raise ValueError(f"an array of {wanted} bytes in a file of {size}")
        content = stream.read(wanted)
        if dtype.kind == "U" and not _is_text(np.frombuffer(content, np.dtype("u4").newbyteorder(dtype.byteorder))):
            raise ValueError("text with numbers that are no characters")
        values = np.frombuffer(content, dtype)
        return values.reshape(shape, order="F" if by_column else "C")
    except (*_DAMAGED, MemoryError) as error:
        raise ValueError(str(error)) from None


def _is_text(codes: npt.NDArray[np.uint32]) -> bool:
    """Whether all are Unicode scalar values: NumPy makes strings of any number, and fails inside on some."""
    return not ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000))).any()
