"""Files: plain or gzip text in, whole-or-nothing out."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TextIO

from graphmt.errors import InputError

AnyPath = str | os.PathLike[str]


def is_gzip(path: AnyPath) -> bool:
    """Whether the file starts as gzip files do; its name does not matter."""
    with open_bytes(path) as stream:
        return stream.read(2) == b"\x1f\x8b"


def open_bytes(path: AnyPath) -> IO[bytes]:
    """Open for reading as it is, with a plain sentence when that fails."""
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise _in_words(path, error) from None


def lines(path: AnyPath) -> Iterator[str]:
    """The lines of a plain or gzip UTF-8 file (``-``: standard input), without line ends, as a stream.

    Only ``\\n`` and ``\\r\\n`` end a line, so a text may hold any other separator.
    """
    if os.fspath(path) == "-":
        yield from _decoded(sys.stdin.buffer, "standard input")
        return
    zipped = is_gzip(path)
    with open_bytes(path) as raw, gzip.open(raw) if zipped else raw as stream:
        yield from _decoded(stream, os.fspath(path))


def _decoded(stream: Any, name: str) -> Iterator[str]:
    number = 0
    try:
        for number, line in enumerate(stream, 1):  # noqa: B007
            yield line.rstrip(b"\n").removesuffix(b"\r").decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 (byte {error.object[error.start]:#04x} at position {error.start}).",
            file=name,
            line=number,
            hint="Convert it, for example with iconv -t utf-8.",
        ) from None
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        raise InputError(f"cannot be read on: {error}.", file=name, line=number + 1) from None


@contextlib.contextmanager
def writing(path: AnyPath) -> Iterator[TextIO]:
    """Write a text file whole or not at all (``-``: standard output); ``.gz`` in the name compresses."""
    if os.fspath(path) == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    path = Path(path)
    with _renamed_when_whole(path) as draft:
        try:
            if path.suffix == ".gz":
                # No name and no time in the header: the same content gives the same bytes.
                with (
                    draft.open("wb") as raw,
                    gzip.GzipFile("", "wb", 6, raw, mtime=0) as zipped,
                    _text(zipped) as stream,
                ):
                    yield stream
            else:
                with draft.open("w", encoding="utf-8", newline="\n") as stream:
                    yield stream
        except OSError as error:
            raise _in_words(path, error) from None


@contextlib.contextmanager
def writing_folder(path: AnyPath) -> Iterator[Path]:
    """A folder that appears under its name only when whole; an older one of that name is replaced."""
    path = Path(path)
    with _renamed_when_whole(path) as draft:
        draft.mkdir()
        yield draft
        if path.is_dir():
            shutil.rmtree(path)


def digest(path: AnyPath) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with open_bytes(path) as stream:
        whole = hashlib.sha256()
        while block := stream.read(1 << 20):
            whole.update(block)
        return whole.hexdigest()


def _text(stream: Any) -> TextIO:
    import io

    return io.TextIOWrapper(stream, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def _renamed_when_whole(path: Path) -> Iterator[Path]:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _in_words(path.parent, error) from None
    try:
        yield draft
        os.replace(draft, path)
    finally:
        if draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
        else:
            draft.unlink(missing_ok=True)


def _in_words(path: AnyPath, error: OSError) -> InputError:
    words = {
        FileNotFoundError: "no such file or folder.",
        IsADirectoryError: "this is a folder, a file was expected.",
        NotADirectoryError: "a part of this path is not a folder.",
        PermissionError: "permission denied.",
    }
    return InputError(words.get(type(error), f"{error.strerror or error}."), file=path)
