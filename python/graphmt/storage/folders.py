"""Folders that appear only when complete, without losing the user's files."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from graphmt.errors import InputError, in_words
from graphmt.storage.checks import require_room
from graphmt.storage.drafts import hidden, hidden_of, holds_only_drafts
from graphmt.storage.files import AnyPath, is_folder, keep_rights, sync_file, sync_folder
from graphmt.storage.locks import writer_lock


@contextlib.contextmanager
def writing_folder(
    path: AnyPath, marker: str, *, owned: Callable[[str], bool], overwrite: bool = False
) -> Iterator[Path]:
    """Write a folder that appears under its name only when complete.

    An existing folder is replaced only with ``overwrite``, and only if it contains the file ``marker``, as every folder
    written by the same step does. Files that ``owned`` does not claim by their relative names (``part/file``) are kept.
    """
    real = Path(os.path.realpath(path))
    require_folder(path, marker, overwrite=overwrite)
    with writer_lock(path):
        require_folder(path, marker, overwrite=overwrite)
        remove_abandoned(real)
        draft = hidden(real, "part")
        try:
            draft.mkdir()
            keep_rights(real, draft, writable=True)
            yield draft
            if real.is_dir():
                _keep(real, draft, owned)
            _sync(draft)
            keep_rights(real, draft)
            _put(draft, real)
            sync_folder(real.parent)
        except OSError as error:
            raise _as_input_error(error, draft, Path(path)) from None
        finally:
            # Nothing, or the previous folder.
            shutil.rmtree(draft, ignore_errors=True)


def require_folder(path: AnyPath, marker: str, *, overwrite: bool = False) -> None:
    """Reject a folder that :func:`writing_folder` would not write, before any work is done."""
    path = Path(path)
    restore_folder(path)
    if os.path.lexists(os.path.realpath(path)):
        if not is_folder(path):
            raise InputError("exists and is not a folder.", file=path, hint="Choose another name.")
        if os.path.lexists(path / marker):
            if not overwrite:
                raise InputError(
                    "exists already.",
                    file=path,
                    hint="Choose another name, or replace it with --overwrite (overwrite=True).",
                )
        elif not holds_only_drafts(path, marker):
            raise InputError(
                f"exists already and has no {marker}, so it was not written by this command.",
                file=path,
                hint="Choose another name, or move it away.",
            )
    require_room(path)


def restore_folder(path: AnyPath) -> None:
    """Restore a folder that was being replaced when its process was killed."""
    real = Path(os.path.realpath(path))
    if not os.path.lexists(real) and hidden_of(real, "old"):
        with contextlib.suppress(InputError, OSError), writer_lock(real):
            replaced = hidden_of(real, "old")
            if replaced and not os.path.lexists(real):
                replaced[-1].rename(real)


def remove_abandoned(path: AnyPath) -> None:
    """Remove a folder's drafts left by killed processes. The caller holds its lock."""
    for left in hidden_of(Path(os.path.realpath(path)), "part", "old"):
        shutil.rmtree(left, ignore_errors=True)


def remove_folder(path: Path, *, last: str) -> None:
    """Remove a folder; its marker file ``last`` goes last, so that a partly removed folder is still recognised."""
    for entry in path.iterdir() if path.is_dir() else ():
        if entry.name != last:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    shutil.rmtree(path, ignore_errors=True)


def _keep(old: Path, draft: Path, owned: Callable[[str], bool]) -> None:
    """Keep the files of the previous folder that the step does not own."""
    for top, folders, files in os.walk(old):
        here = Path(top)
        # A link to a folder is kept as a link.
        links = [name for name in folders if (here / name).is_symlink()]
        for name in [*files, *links]:
            inside = (here / name).relative_to(old)
            to = draft / inside
            if not owned(inside.as_posix()) and not os.path.lexists(to):
                to.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(here / name, to, follow_symlinks=False)
                except (OSError, NotImplementedError):
                    shutil.copy2(here / name, to, follow_symlinks=False)
        if not folders and not files and here != old:
            (draft / here.relative_to(old)).mkdir(parents=True, exist_ok=True)


def _sync(draft: Path) -> None:
    """Flush everything in a folder to disk."""
    for top, _, files in os.walk(draft, topdown=False):
        for name in files:
            if (Path(top) / name).is_file() and not (Path(top) / name).is_symlink():
                with contextlib.suppress(PermissionError):
                    sync_file(Path(top) / name)
        sync_folder(Path(top))


def _put(draft: Path, real: Path) -> None:
    """Give a draft its final name; an existing folder takes the draft's name."""
    if not real.is_dir() or not any(real.iterdir()):
        if real.is_dir():
            real.rmdir()
        draft.rename(real)
    elif not exchange(draft, real):
        # Two steps where the system has no atomic exchange; :func:`restore_folder` recovers from a kill between them.
        replaced = draft.with_suffix(".old")
        real.rename(replaced)
        draft.rename(real)
        replaced.rename(draft)


def exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two folders atomically; False where this is not supported."""
    first, second = os.fsencode(one), os.fsencode(other)
    try:
        system = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "linux":
            at_fdcwd, rename_exchange = -100, 2
            failed = system.renameat2(at_fdcwd, first, at_fdcwd, second, rename_exchange)
        elif sys.platform == "darwin":
            rename_swap = 2
            failed = system.renamex_np(first, second, rename_swap)
        else:
            return False
    except (OSError, AttributeError, TypeError):
        return False
    if not failed:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM):
        return False
    raise OSError(code, os.strerror(code), os.fspath(other))


def _as_input_error(error: OSError, draft: Path, path: Path) -> InputError:
    """The error, naming the final path instead of the draft."""
    if error.filename is None:
        return in_words(path, error)
    named = Path(os.fsdecode(error.filename))
    return in_words(path / named.relative_to(draft) if named.is_relative_to(draft) else named, error)
