"""Files: reading plain or compressed text, and writing whole files or none."""

from __future__ import annotations

import codecs
import contextlib
import errno
import functools
import hashlib
import io
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, TextIO

from graphmt import _core
from graphmt.errors import InputError, in_words
from graphmt.storage.addresses import require_path
from graphmt.storage.compression import Packing, unpacked
from graphmt.storage.drafts import hidden, hidden_of
from graphmt.storage.journal import recover
from graphmt.storage.locks import lock_open_file

AnyPath = str | os.PathLike[str]


#: Maximum size in bytes of a line, and of a file that is read whole. They bound memory: a few compressed
#: megabytes can expand to gigabytes.
MAX_LINE = 1 << 26
MAX_WHOLE = 1 << 28


def name_of(path: AnyPath) -> str:
    """A path as messages name it."""
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def open_bytes(path: AnyPath) -> IO[bytes]:
    """Open a file of any kind for reading bytes; failures raise ``InputError``.

    A signal ends the wait for somebody to write to a pipe. What is read twice needs :func:`open_file`.
    """
    return _opened(path, lambda one: Path(one).open("rb"))


def opened_file(path: AnyPath) -> IO[bytes]:
    """Open a regular file for reading bytes; pipes and devices raise ``InputError`` at once, all else ``OSError``."""
    # Opening a pipe that nobody writes to would wait for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags)
    try:
        mode = os.fstat(number).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(mode):
            raise InputError(
                "a pipe or device; a regular file was expected.",
                file=name_of(path),
                hint="Write it to a file first, and give that.",
            )
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def open_file(path: AnyPath) -> IO[bytes]:
    """Open a regular file for reading bytes; failures raise ``InputError``."""
    return _opened(path, opened_file)


def require_regular(*paths: AnyPath | None) -> None:
    """Reject files that cannot be read, pipes and devices: for files that are read more than once."""
    for path in paths:
        if path is not None:
            open_file(path).close()


def _opened(path: AnyPath, opener: Callable[[AnyPath], IO[bytes]]) -> IO[bytes]:
    try:
        if not os.path.lexists(path):
            recover(path)
        return opener(path)
    except OSError as error:
        raise in_words(path, error) from None
    except ValueError:
        raise InputError(f"{os.fspath(path)!r} is not a path.") from None


@contextlib.contextmanager
def reading(path: AnyPath) -> Iterator[Any]:
    """The bytes of a plain or compressed file (``-``: standard input); recognised by its first bytes, not its name.

    It is opened and read once, so that it may be a pipe.
    """
    with contextlib.ExitStack() as stack:
        raw: Any = sys.stdin.buffer if os.fspath(path) == "-" else stack.enter_context(open_bytes(path))
        if not hasattr(raw, "peek"):
            raw = io.BufferedReader(raw)
            stack.callback(raw.detach)
        try:
            yield unpacked(raw, name_of(path))
        except OSError as error:
            raise in_words(path, error) from None


def read_whole(path: AnyPath) -> bytes:
    """All bytes of a plain or compressed file (``-``: standard input), decompressed, at most :data:`MAX_WHOLE`."""
    with reading(path) as stream:
        data: bytes = stream.read(MAX_WHOLE + 1)
    if len(data) > MAX_WHOLE:
        raise InputError(f"more than {MAX_WHOLE >> 20} MiB, decompressed.", file=name_of(path), hint="Split it.")
    return data


def lines(path: AnyPath) -> Iterator[str]:
    """The lines of a plain or compressed UTF-8 file (``-``: standard input), without line ends, as a stream.

    Only ``\\n`` and ``\\r\\n`` end a line, so a text may hold any other separator.
    """
    with reading(path) as stream:
        yield from decoded_lines(stream, path)


def decoded_lines(stream: Any, path: AnyPath) -> Iterator[str]:
    """The lines of an open stream of bytes; ``path`` is named in errors."""
    number = 0
    try:
        for number, line in enumerate(iter(functools.partial(stream.readline, MAX_LINE), b""), 1):
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                raise InputError(
                    f"a line of more than {MAX_LINE >> 20} MiB.",
                    file=name_of(path),
                    line=number,
                    hint="Text must have one sentence per line.",
                )
            line = line.rstrip(b"\n").removesuffix(b"\r")
            yield (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 (byte {error.object[error.start]:#04x} at position {error.start}).",
            file=name_of(path),
            line=number,
            hint="Convert it, for example with iconv -t utf-8.",
        ) from None
    except OSError as error:
        raise at_line(in_words(path, error), number + 1) from None
    except InputError as error:
        # Damage in a compressed file.
        raise at_line(error, number + 1) if error.line is None else error from None


def at_line(error: InputError, line: int) -> InputError:
    """An error about a file, at a line of it."""
    error.line = line
    return error


@contextlib.contextmanager
def writing(path: AnyPath) -> Iterator[TextIO]:
    """Write a text file whole or not at all (``-``: standard output), compressed as its name says.

    If the path is a link, its target is written and the link stays. Pipes and devices are written directly.
    """
    if os.fspath(path) == "-":
        with _standard_output() as stream:
            yield stream
        return
    path = Path(path)
    if is_folder(path):
        raise InputError("this is a folder, a file was expected.", file=path)
    with _renamed_when_whole(path) as draft, text_stream(draft, path) as stream:
        yield stream


@contextlib.contextmanager
def text_stream(draft: Path, path: AnyPath) -> Iterator[TextIO]:
    """A draft of a file opened for text, compressed as the name of the file says."""
    if _core.compression_of_name(path) is None:
        with draft.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        return
    with draft.open("wb") as raw, Packing(raw, path) as packed, _text(packed) as stream:
        yield stream


@contextlib.contextmanager
def writing_bytes(path: AnyPath) -> Iterator[IO[bytes]]:
    """Write a binary file whole or not at all."""
    with _renamed_when_whole(Path(path)) as draft, draft.open("wb") as stream:
        yield stream


@contextlib.contextmanager
def _standard_output() -> Iterator[TextIO]:
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None:
            raise in_words(error.filename, error) from None
        # The rest of the buffer cannot be written either, but Python would try again when it exits.
        with contextlib.suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        raise in_words("standard output", error) from None


def digest(path: AnyPath) -> str:
    """The SHA-256 of a regular file's bytes, in hexadecimal. (A pipe would be empty afterwards.)"""
    with open_file(path) as stream:
        whole = hashlib.sha256()
        while block := stream.read(1 << 20):
            whole.update(block)
        return whole.hexdigest()


#: How the core's binary files begin, and how many bytes of their header depend on everything in the file.
_BINARY, _HEADER = (b"GRAPHMT", b"graphmtL"), 48


def identity(path: AnyPath) -> str:
    """A text that differs between files of different content, without reading all of a large file.

    The header of a binary file has checksums of the rest: it stands for the file. Of others it is the digest.
    """
    with open_file(path) as stream:
        header = stream.read(_HEADER)
    is_binary = header.startswith(_BINARY) and len(header) == _HEADER
    return f"header {header.hex()}" if is_binary else digest(path)


def link_or_copy(path: Path, to: Path) -> None:
    """Hard-link a file, or copy it where links are not supported."""
    to.unlink(missing_ok=True)
    try:
        os.link(path, to)
    except FileNotFoundError as error:
        raise in_words(path, error) from None
    except OSError:
        copy_file(path, to)


def copy_file(path: AnyPath, to: Path) -> None:
    """Copy a file's bytes; errors name the file concerned."""
    with open_file(path) as stream, _in_words_of(to, to), to.open("wb") as out:
        shutil.copyfileobj(stream, out, 1 << 20)


def _text(stream: Any) -> TextIO:
    return io.TextIOWrapper(stream, encoding="utf-8", newline="\n")


def is_place(path: Path) -> bool:
    """Whether a path cannot be replaced by renaming: a device, a pipe, or an open file by its descriptor."""
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
    if is_place(path):
        with _in_words_of(path, path):
            yield path
        return
    require_path(path)
    real = Path(os.path.realpath(path))
    make_folder(real.parent)
    _remove_abandoned(real)
    draft = hidden(real, "part")
    with _in_words_of(path, draft):
        number = _open_locked(draft)
        try:
            # Readers whom the old file excludes do not see the draft either.
            keep_rights(real, draft, writable=True)
            yield draft
            os.fsync(number)
            if sys.platform == "win32":
                # Windows cannot rename an open file.
                os.close(number)
                number = -1
            keep_rights(real, draft)
            draft.replace(real)
            sync_folder(real.parent)
        finally:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
            if number >= 0:
                os.close(number)


def keep_rights(old: Path, new: Path, *, writable: bool = False) -> None:
    """Give a draft the rights of the file or folder that it replaces, and its owner where this is allowed.

    ``writable``: the draft stays writable for its owner until it is finished.
    """
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        before = old.stat()
        with contextlib.suppress(OSError):
            os.chown(new, before.st_uid, before.st_gid)
        # After a change of owner, which takes some rights away.
        new.chmod(stat.S_IMODE(before.st_mode) | (stat.S_IRWXU if writable else 0))


def is_folder(path: Path) -> bool:
    """Whether a path is a folder; False if that cannot be determined."""
    with contextlib.suppress(OSError):
        return path.is_dir()
    return False


def make_folder(path: Path) -> None:
    """Create a folder and its parents, unless it exists."""
    require_path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise in_words(path, error) from None


def sync_file(path: Path) -> None:
    """Flush the content of a file to disk."""
    # Windows needs write access for this.
    number = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def sync_folder(path: Path) -> None:
    """Flush renames in a folder to disk, where the system supports it."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            sync_file(path)


def _open_locked(draft: Path) -> int:
    """Create a draft that stays open and locked while it is written; an unlocked draft belongs to a dead process."""
    while True:
        number = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if sys.platform == "win32" or (lock_open_file(number) and draft.exists()):
            return number
        # Another process removed it before it was locked.
        os.close(number)


def _remove_abandoned(path: Path) -> None:
    """Remove drafts left by killed processes."""
    if sys.platform == "win32":
        return
    for draft in hidden_of(path, "part"):
        with contextlib.suppress(OSError):
            if not draft.is_file():
                continue
            number = os.open(draft, os.O_RDWR)
            try:
                if lock_open_file(number):
                    draft.unlink()
            finally:
                os.close(number)


@contextlib.contextmanager
def _in_words_of(path: Path, draft: Path) -> Iterator[None]:
    """Turn errors of the operating system into ``InputError``; a draft is named by its final path."""
    try:
        yield
    except OSError as error:
        other = error.filename is not None and os.fspath(error.filename) != os.fspath(draft)
        raise in_words(error.filename if other else path, error) from None
