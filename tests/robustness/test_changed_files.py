"""Files of a model that change while a process has them open: it gives the old content or a sentence, and lives."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="each case is a forked process")

from graphmt.errors import GraphmtError, InternalError
from graphmt.model import Model

from fuzz.readers.models import model_folder, sentence

#: Exit codes of the forked process: the old translation, a sentence, another translation, a failure.
OLD, REFUSED, OTHER, FAILED = 0, 1, 2, 3


def truncated(path: Path) -> None:
    os.truncate(path, 0)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwritten(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.write(b"\xff" * path.stat().st_size)


def grown_anew(path: Path) -> None:
    """As ``cp other file`` does it: the file is emptied, then filled."""
    size = path.stat().st_size
    os.truncate(path, 0)
    path.write_bytes(bytes(size))


def replaced(path: Path) -> None:
    """As everything here is written: another file takes the name. The opened one stays what it was."""
    other = path.with_name("other")
    other.write_bytes(b"something else")
    other.replace(path)


def removed(path: Path) -> None:
    path.unlink()


CASES = [
    *(("btg", file) for file in ("rules.bin", "lm.bin", "reordering.bin")),
    *(("gbmt-ctx", file) for file in ("rules.bin", "lm.bin")),
    *(("hpb", file) for file in ("gm.bin", "lrsm.bin", "tsm.bin")),
]


@pytest.mark.parametrize("change", [truncated, cut, overwritten, grown_anew, replaced, removed])
@pytest.mark.parametrize(("system", "file"), CASES)
def test_translating_with_a_changed_file(
    system: str, file: str, change: Callable[[Path], None], tmp_path: Path
) -> None:
    folder = model_folder(tmp_path, system, selection=system == "hpb")
    status = os.waitpid(_forked(folder, file, change), 0)[1]
    code = os.waitstatus_to_exitcode(status)
    wanted = (OLD,) if change in (replaced, removed) else (OLD, REFUSED)
    assert code in wanted, f"exit code {code}; a negative one is a signal"


def _forked(folder: Path, file: str, change: Callable[[Path], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = FAILED
    try:
        model, tree = Model(folder), sentence()
        before = model.translate(tree, threads=1)
        change(folder / file)
        after = model.translate(tree, threads=1)
        code = OLD if (after.text, after.score) == (before.text, before.score) else OTHER
    except InternalError:
        code = FAILED
    except GraphmtError:
        code = REFUSED
    finally:
        os._exit(code)
    return 0
