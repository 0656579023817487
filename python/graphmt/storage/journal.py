"""Renaming several files together: a journal lets the next command finish a renaming that a kill interrupted.

All new files are complete before the first is renamed. Then all old files are moved away before the first new one gets
its name: after a kill, files may be missing, but old and new ones are never mixed. The journal, a hidden file next to
each of them, lists all files, so that a process that misses one can undo the renaming while any old file has its name,
and finish it from then on.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from graphmt.errors import InputError
from graphmt.storage.drafts import hidden_of
from graphmt.storage.locks import writer_lock

SUFFIX = "journal"


class Move(NamedTuple):
    """A path, the new file that gets it, and where the old file is moved."""

    path: Path
    new: Path
    old: Path


def rename_together(moves: Sequence[Move]) -> None:
    """Give all new files their names, replacing older ones. The caller holds the locks of all of them."""
    try:
        for move in moves:
            _write(_journal(move), moves)
    except BaseException:
        for move in moves:
            _journal(move).unlink(missing_ok=True)
        raise
    for move in moves:
        if os.path.lexists(move.path):
            move.path.replace(move.old)
    _finish(moves)


def recover(path: str | os.PathLike[str]) -> None:
    """Finish or undo an interrupted renaming of a file, unless a running process is doing it."""
    real = Path(os.path.realpath(path))
    for journal in hidden_of(real, SUFFIX):
        with contextlib.suppress(InputError, OSError), contextlib.ExitStack() as stack:
            for move in _read(journal):
                stack.enter_context(writer_lock(move.path))
            # Its writer may have finished in the meantime.
            if journal.exists():
                moves = _read(journal)
                _finish(moves) if _is_begun(moves) else _undo(moves)


def _is_begun(moves: Sequence[Move]) -> bool:
    """Whether a new file may have its name already: all old ones are moved away."""
    return not any(move.path.exists() and move.new.exists() for move in moves)


def _undo(moves: Sequence[Move]) -> None:
    """Move the old files back; other processes may be reading the rest."""
    for move in moves:
        if move.old.exists():
            move.old.replace(move.path)
    for move in moves:
        _journal(move).unlink(missing_ok=True)


def _finish(moves: Sequence[Move]) -> None:
    for move in moves:
        if move.new.exists():
            move.new.replace(move.path)
        elif move.old.exists() and not move.path.exists():
            move.old.replace(move.path)
    for move in moves:
        move.old.unlink(missing_ok=True)
    for move in moves:
        _journal(move).unlink(missing_ok=True)


def _journal(move: Move) -> Path:
    return move.new.with_suffix(f".{SUFFIX}")


def _write(journal: Path, moves: Sequence[Move]) -> None:
    draft = journal.with_suffix(f".{SUFFIX}-part")
    try:
        with draft.open("w", encoding="utf-8") as stream:
            json.dump([[os.fspath(path) for path in move] for move in moves], stream)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(journal)
    finally:
        draft.unlink(missing_ok=True)


def _read(journal: Path) -> list[Move]:
    try:
        rows = json.loads(journal.read_text("utf-8"))
        return [Move(*map(Path, row)) for row in rows]
    except (ValueError, TypeError):
        raise InputError("not a journal of graphmt, or damaged.", file=journal) from None
