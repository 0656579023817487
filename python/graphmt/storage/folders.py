"""Folders that appear under their names only when whole, and in which nothing of a user's is lost."""

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
from graphmt.storage.drafts import hidden, hidden_of, holds_only_drafts
from graphmt.storage.files import (
    AnyPath,
    is_folder,
    require_room,
    sync_file,
    sync_folder,
)
from graphmt.storage.locks import writer_lock


@contextlib.contextmanager
def writing_folder(
    path: AnyPath, marker: str, *, owned: Callable[[str], bool], overwrite: bool = False
) -> Iterator[Path]:
    """A folder that appears under its name only when whole.

    An older folder of that name is replaced only with ``overwrite``, and only if it holds the file ``marker``, as every
    folder written by the same step does. Those of its files stay that ``owned`` does not claim by their names in it
    (``part/file``).
    """
    real = Path(os.path.realpath(path))
    require_folder(path, marker, overwrite=overwrite)
    with writer_lock(path):
        require_folder(path, marker, overwrite=overwrite)
        remove_abandoned(real)
        draft = hidden(real, "part")
        try:
            draft.mkdir()
            yield draft
            if real.is_dir():
                _keep(real, draft, owned)
            _sync(draft)
            _put(draft, real)
            sync_folder(real.parent)
        except OSError as error:
            raise _told(error, draft, Path(path)) from None
        finally:
            # Nothing, or the older folder.
            shutil.rmtree(draft, ignore_errors=True)


def require_folder(path: AnyPath, marker: str, *, overwrite: bool = False) -> None:
    """Refuse a folder that :func:`writing_folder` would not write, before there is work to lose."""
    path = Path(path)
    restore_folder(path)
    if os.path.lexists(os.path.realpath(path)):
        if not is_folder(path):
            raise InputError("this is not a folder; a folder is written here.", file=path, hint="Choose another name.")
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
    """Bring a folder back that was stepping aside for a new one when its process was killed."""
    real = Path(os.path.realpath(path))
    if not os.path.lexists(real) and hidden_of(real, "old"):
        with contextlib.suppress(InputError, OSError), writer_lock(real):
            aside = hidden_of(real, "old")
            if aside and not os.path.lexists(real):
                aside[-1].rename(real)


def remove_abandoned(path: AnyPath) -> None:
    """Remove what killed processes left of a folder. The caller holds its lock."""
    for left in hidden_of(Path(os.path.realpath(path)), "part", "old"):
        shutil.rmtree(left, ignore_errors=True)


def remove_folder(path: Path, *, last: str) -> None:
    """Remove a folder; the file that says whose it is goes last, so that what is left of it is known as ours."""
    for entry in path.iterdir() if path.is_dir() else ():
        if entry.name != last:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    shutil.rmtree(path, ignore_errors=True)


def _keep(old: Path, draft: Path, owned: Callable[[str], bool]) -> None:
    """The files of an older folder that are not the step's, in the new one as well."""
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
    """Bring everything in a folder onto the disk."""
    for top, _, files in os.walk(draft, topdown=False):
        for name in files:
            if (Path(top) / name).is_file() and not (Path(top) / name).is_symlink():
                with contextlib.suppress(PermissionError):
                    sync_file(Path(top) / name)
        sync_folder(Path(top))


def _put(draft: Path, real: Path) -> None:
    """Give a folder its name; an older one of that name goes to the name of the draft."""
    if not real.is_dir() or not any(real.iterdir()):
        if real.is_dir():
            real.rmdir()
        draft.rename(real)
    elif not exchange(draft, real):
        # Two steps where the system has no single one; :func:`restore_folder` mends a kill between them.
        aside = draft.with_suffix(".old")
        real.rename(aside)
        draft.rename(real)
        aside.rename(draft)


def exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two folders in one step; False where the system cannot."""
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


def _told(error: OSError, draft: Path, path: Path) -> InputError:
    """The error under the name that the draft is for."""
    if error.filename is None:
        return in_words(path, error)
    named = Path(os.fsdecode(error.filename))
    return in_words(path / named.relative_to(draft) if named.is_relative_to(draft) else named, error)
