"""Files: plain or gzip text in, whole-or-nothing out."""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import io
import os
import secrets
import shutil
import stat
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TextIO

from graphmt.errors import InputError, OptionError

AnyPath = str | os.PathLike[str]


#: Limits in bytes: of a line, and of a file that is read whole. They bound memory, since a few megabytes of gzip can
#: unpack to gigabytes.
MAX_LINE = 1 << 26
MAX_WHOLE = 1 << 28

#: What reading raises where a file is damaged or its device fails. (gzip's own error is an OSError.)
_UNREADABLE = (EOFError, zlib.error, OSError)


def name_of(path: AnyPath) -> str:
    """A path as messages name it."""
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def open_bytes(path: AnyPath) -> IO[bytes]:
    """Open for reading as it is, with a plain sentence when that fails."""
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise _in_words(path, error) from None
    except ValueError:
        raise InputError(f"{os.fspath(path)!r} is not a path.") from None


@contextlib.contextmanager
def reading(path: AnyPath) -> Iterator[Any]:
    """The bytes of a plain or gzip file (``-``: standard input); its first bytes tell, not its name.

    It is opened once and read once, so that it may be a pipe.
    """
    with contextlib.ExitStack() as stack:
        raw: Any = sys.stdin.buffer if os.fspath(path) == "-" else stack.enter_context(open_bytes(path))
        if not hasattr(raw, "peek"):
            raw = io.BufferedReader(raw)
            stack.callback(raw.detach)
        try:
            zipped = raw.peek(2)[:2] == b"\x1f\x8b"
            yield stack.enter_context(gzip.GzipFile(fileobj=raw)) if zipped else raw
        except _UNREADABLE as error:
            raise _unreadable(path, error) from None


def read_whole(path: AnyPath) -> bytes:
    """All bytes of a plain or gzip file (``-``: standard input), unpacked, if they are at most :data:`MAX_WHOLE`."""
    with reading(path) as stream:
        data: bytes = stream.read(MAX_WHOLE + 1)
    if len(data) > MAX_WHOLE:
        raise InputError(f"more than {MAX_WHOLE >> 20} MiB, unpacked.", file=name_of(path), hint="Split it.")
    return data


def lines(path: AnyPath) -> Iterator[str]:
    """The lines of a plain or gzip UTF-8 file (``-``: standard input), without line ends, as a stream.

    Only ``\\n`` and ``\\r\\n`` end a line, so a text may hold any other separator.
    """
    with reading(path) as stream:
        yield from decoded_lines(stream, path)


def decoded_lines(stream: Any, path: AnyPath) -> Iterator[str]:
    """The lines of an open stream of bytes; ``path`` is the name that errors give."""
    number = 0
    try:
        for number, line in enumerate(iter(functools.partial(stream.readline, MAX_LINE), b""), 1):
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                raise InputError(
                    f"a line of more than {MAX_LINE >> 20} MiB.",
                    file=name_of(path),
                    line=number,
                    hint="A text has one sentence a line; is this one?",
                )
            yield line.rstrip(b"\n").removesuffix(b"\r").decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 (byte {error.object[error.start]:#04x} at position {error.start}).",
            file=name_of(path),
            line=number,
            hint="Convert it, for example with iconv -t utf-8.",
        ) from None
    except _UNREADABLE as error:
        raise _unreadable(path, error, number + 1) from None


def _unreadable(path: AnyPath, error: Exception, line: int | None = None) -> InputError:
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        told = _in_words(path, error)
        told.line = line
        return told
    return InputError(f"damaged gzip data ({error}).", file=name_of(path), line=line, hint="Copy it again.")


@contextlib.contextmanager
def writing(path: AnyPath) -> Iterator[TextIO]:
    """Write a text file whole or not at all (``-``: standard output); ``.gz`` in the name compresses.

    A link stays one: the file that it leads to is written. Into a pipe or a device the text goes as it comes.
    """
    if os.fspath(path) == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    path = Path(path)
    if path.is_dir():
        raise InputError("this is a folder, a file was expected.", file=path)
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
def writing_bytes(path: AnyPath) -> Iterator[IO[bytes]]:
    """Write a binary file whole or not at all."""
    with _renamed_when_whole(Path(path)) as draft:
        try:
            with draft.open("wb") as stream:
                yield stream
        except OSError as error:
            raise _in_words(path, error) from None


@contextlib.contextmanager
def writing_folder(path: AnyPath, marker: str) -> Iterator[Path]:
    """A folder that appears under its name only when whole.

    An older folder of that name is replaced if it is empty or holds the file ``marker``, as every folder
    written by the same step does; any other is left alone: a mistyped name costs nobody their files.
    """
    path = Path(path)
    require_folder(path, marker)
    with _renamed_when_whole(path) as draft:
        draft.mkdir()
        yield draft


def require_folder(path: AnyPath, marker: str) -> None:
    """Refuse a folder that :func:`writing_folder` could not write, before there is work to lose."""
    path = Path(path)
    if path.exists() and not (path / marker).exists() and not (path.is_dir() and not any(path.iterdir())):
        raise InputError(
            f"exists already and has no {marker}, so it was not written by this command.",
            file=path,
            hint="Choose another name, or move it away.",
        )
    _require_room(path)


def require_outputs(*paths: AnyPath | None) -> None:
    """Refuse files that cannot be written, and two that are one, before there is work to lose."""
    taken: set[str] = set()
    for path in paths:
        if path is None or _is_place(Path(path)):
            continue
        real = "-" if os.fspath(path) == "-" else os.path.realpath(path)
        if real in taken:
            raise OptionError(f"two outputs have the same name {os.fspath(path)}.", hint="Give each its own.")
        taken.add(real)
        if real != "-":
            if Path(real).is_dir():
                raise _in_words(path, IsADirectoryError())
            _require_room(path)


def require_inputs(*paths: AnyPath | None) -> None:
    """Refuse files that cannot be read, and standard input (``-``) for several, before there is work to lose."""
    named = [Path(path) for path in paths if path is not None]
    files = [path for path in named if os.fspath(path) != "-"]
    if len(named) - len(files) > 1:
        raise OptionError("standard input (-) is given for several files.", hint="Name a file for all but one.")
    for path in files:
        if not os.access(path, os.R_OK):
            raise _in_words(path, PermissionError() if os.access(path, os.F_OK) else FileNotFoundError())
        if path.is_dir():
            raise _in_words(path, IsADirectoryError())


def _require_room(path: AnyPath) -> None:
    """Refuse a path whose nearest folder is none or may not be written into."""
    folder = Path(os.path.realpath(path)).parent
    while not os.access(folder, os.F_OK):
        folder = folder.parent
    if not folder.is_dir():
        raise _in_words(path, NotADirectoryError())
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _in_words(path, PermissionError())


def digest(path: AnyPath) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with open_bytes(path) as stream:
        whole = hashlib.sha256()
        while block := stream.read(1 << 20):
            whole.update(block)
        return whole.hexdigest()


def link_or_copy(path: Path, to: Path) -> None:
    """The same file under another name, or a copy of it where a file can have only one."""
    to.unlink(missing_ok=True)
    try:
        os.link(path, to)
    except FileNotFoundError as error:
        raise _in_words(path, error) from None
    except OSError:
        shutil.copyfile(path, to)


def _text(stream: Any) -> TextIO:
    return io.TextIOWrapper(stream, encoding="utf-8", newline="\n")


def _is_place(path: Path) -> bool:
    """Whether a path is no file that another can take the place of: a device, a pipe, or an open file by its number."""
    folder = os.path.realpath(path.parent)
    if folder in ("/dev", "/dev/fd") or folder.startswith("/proc/"):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextlib.contextmanager
def _renamed_when_whole(path: Path) -> Iterator[Path]:
    if _is_place(path):
        yield path
        return
    path = Path(os.path.realpath(path))
    mark = secrets.token_hex(4)
    draft, aside = (path.with_name(f".{path.name}.{mark}.{role}") for role in ("part", "old"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _in_words(path.parent, error) from None
    try:
        yield draft
        if path.is_dir():
            # A folder cannot be replaced in one step: the old one steps aside first and goes last.
            path.replace(aside)
        draft.replace(path)
    finally:
        for left in (draft, aside):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)


def _in_words(path: AnyPath, error: OSError) -> InputError:
    words = {
        FileNotFoundError: "no such file or folder.",
        IsADirectoryError: "this is a folder, a file was expected.",
        NotADirectoryError: "a part of this path is not a folder.",
        PermissionError: "permission denied.",
    }
    return InputError(words.get(type(error), f"{error.strerror or error}."), file=path)
