"""Files that belong together, such as the sides of a corpus: all are replaced, or none."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from graphmt.errors import InputError, in_words
from graphmt.storage.checks import require_outputs
from graphmt.storage.drafts import hidden, hidden_of
from graphmt.storage.files import (
    AnyPath,
    is_folder,
    is_place,
    keep_rights,
    make_folder,
    sync_file,
    sync_folder,
    text_stream,
    writing,
)
from graphmt.storage.journal import SUFFIX, Move, recover, rename_together
from graphmt.storage.locks import writer_lock


@contextlib.contextmanager
def writing_together(*paths: AnyPath, inputs: Iterable[AnyPath | None] = ()) -> Iterator[list[TextIO]]:
    """Write text files that get their names together; each path as in :func:`graphmt.storage.files.writing`.

    Only one process may write any of them at a time. None of them may be one of the ``inputs``.
    """
    require_outputs(*paths, inputs=inputs)
    with contextlib.ExitStack() as stack:
        moves: list[Move] = []
        for real in sorted(Path(os.path.realpath(path)) for path in paths if _is_file(path)):
            if is_folder(real):
                raise InputError("this is a folder, a file was expected.", file=real)
            make_folder(real.parent)
            stack.enter_context(writer_lock(real))
            recover(real)
            for left in hidden_of(real, "new", "old", f"{SUFFIX}-part"):
                left.unlink(missing_ok=True)
            moves.append(Move(real, new := hidden(real, "new"), new.with_suffix(".old")))
        of = {move.path: move for move in moves}
        try:
            with contextlib.ExitStack() as opened:
                streams = []
                for path in paths:
                    if _is_file(path):
                        new = of[Path(os.path.realpath(path))].new
                        streams.append(opened.enter_context(text_stream(new, path)))
                        keep_rights(Path(os.path.realpath(path)), new)
                    else:
                        streams.append(opened.enter_context(writing(path)))
                yield streams
            for move in moves:
                sync_file(move.new)
            rename_together(moves)
            for folder in {move.path.parent for move in moves}:
                sync_folder(folder)
        except OSError as error:
            raise _as_input_error(error, moves) from None
        finally:
            for move in moves:
                with contextlib.suppress(OSError):
                    move.new.unlink(missing_ok=True)


def _is_file(path: AnyPath) -> bool:
    return os.fspath(path) != "-" and not is_place(Path(path))


def _as_input_error(error: OSError, moves: list[Move]) -> InputError:
    """The error, naming the user's file instead of the draft."""
    drafts = {os.fspath(move.new): move.path for move in moves}
    if error.filename is None:
        return in_words(" and ".join(os.fspath(move.path) for move in moves), error)
    return in_words(drafts.get(os.fspath(error.filename), error.filename), error)
