"""Files that the driver sends to workers, which copy them once and keep what they made of them."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import re
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from graphmt.storage.files import digest, link_or_copy
from graphmt.storage.temporary import temporary_directory

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_T = TypeVar("_T")

#: What this process made of files, the latest of each role: a worker serves one job after the other.
_KEPT: dict[str, tuple[tuple[str, ...], Any]] = {}


@functools.cache
def _sent() -> Path:
    """Copies of sent files. Executors that start later fetch them too, so they stay until this process ends."""
    folder = temporary_directory("sent")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def sent_folder(name: str) -> Path:
    """A new folder for something to send that is kept until this process ends."""
    return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=_sent()))


def send_file(session: SparkSession, path: Path) -> str:
    """Let workers read a file; returns its name for :func:`loaded`, which differs for different contents."""
    name = f"graphmt-{digest(path)[:24]}-{_plain(path.name)}"
    if not any(known.endswith(f"/{name}") for known in session.sparkContext.listFiles):
        link_or_copy(path, _sent() / name)
        session.sparkContext.addFile((_sent() / name).as_uri())
    return name


def send_folder(session: SparkSession, path: Path) -> str:
    """Let workers read a folder; returns its name for :func:`loaded`.

    Threads of this machine read it where it is; other workers get a copy.
    """
    whole = path.resolve()
    if (session.sparkContext.master or "").split("[")[0] == "local":
        return os.fspath(whole)
    name = f"graphmt-{_plain(whole.name)}-{folder_digest(whole)[:24]}"
    if not any(known.endswith(f"#{name}") for known in session.sparkContext.listArchives):
        packed = _sent() / f"{name}.tar"
        # shutil.make_archive adds the entry "./", which Spark refuses.
        with tarfile.open(packed, "w") as archive:
            for one in sorted(whole.rglob("*")):
                archive.add(one, one.relative_to(whole).as_posix(), recursive=False)
        session.sparkContext.addArchive(f"{packed.as_uri()}#{name}")
    return name


def _plain(name: str) -> str:
    """A name as a part of an address, without escapes."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)


def folder_digest(folder: Path) -> str:
    """A digest of the names and contents of a folder's files."""
    summary = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            summary.update(f"{path.relative_to(folder)}\0{digest(path)}\0".encode())
    return summary.hexdigest()


def loaded(role: str, names: tuple[str, ...], load: Callable[[list[Path]], _T], *more: str) -> _T:
    """What ``load`` makes of sent files; kept in this process until other files, or other ``more``, take this role."""
    from pyspark import SparkFiles

    known = _KEPT.get(role)
    key = (*names, *more)
    if known is None or known[0] != key:
        paths = [Path(name) if Path(name).is_absolute() else Path(SparkFiles.get(name)) for name in names]
        _KEPT.pop(role, None)
        known = _KEPT[role] = (key, load(paths))
    made: _T = known[1]
    return made
