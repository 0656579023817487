"""Files that other programs change while a process has them mapped: an error or the old content, never a crash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

#: Opens models, and for each line, the numbers of a model and of a part of the text, says what came of translating it.
WORKER = """
import sys
from graphmt.corpus import read_trees
from graphmt.errors import GraphmtError
from graphmt.model import load
models = [load(folder) for folder in sys.argv[2:]]
trees = list(read_trees(sys.argv[1]))
for line in sys.stdin:
    model, part = map(int, line.split())
    try:
        # Other sentences in each part: what was read for one is remembered.
        found = models[model].translate(trees[part : part + 2], threads=2)
        print("text", *(one.text for one in found), sep="\\t", flush=True)
    except GraphmtError as error:
        print("error", error, sep="\\t", flush=True)
"""


def cut(path: Path) -> None:
    os.truncate(path, 0)


def cut_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwrite(path: Path) -> None:
    """As cp does: the same inode with the bytes of another file."""
    length = path.stat().st_size
    with path.open("wb") as stream:
        stream.write(os.urandom(length))


def overwrite_bytes(path: Path) -> None:
    """As rsync --inplace does: never shorter."""
    with path.open("r+b") as stream:
        stream.seek(path.stat().st_size // 3)
        stream.write(os.urandom(path.stat().st_size // 3))


def rename(path: Path) -> None:
    path.with_suffix(".new").write_bytes(b"something else")
    path.with_suffix(".new").replace(path)


def remove(path: Path) -> None:
    path.unlink()


#: Changes of the file itself, and those that leave it to whoever has it open.
IN_PLACE = (cut, cut_half, overwrite, overwrite_bytes)
OTHERS = (rename, remove)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows refuses to change a mapped file")
@pytest.mark.parametrize(
    ("system", "name"), [("pbmt", "rules.bin"), ("hpb", "rules.bin"), ("pbmt", "lm.bin"), ("btg", "reordering.bin")]
)
def test_a_file_changed_in_use(demo, tmp_path, system, name) -> None:
    changes = (*IN_PLACE, *OTHERS)
    folders = [tmp_path / change.__name__ for change in changes]
    for folder in folders:
        shutil.copytree(demo.models[system], folder)
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, demo.test, *folders],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )

    def answer(model: int, part: int) -> list[str]:
        assert worker.stdin and worker.stdout
        worker.stdin.write(f"{model} {part}\n")
        worker.stdin.flush()
        return worker.stdout.readline().rstrip("\n").split("\t")

    before = answer(0, 0)
    assert before[0] == "text" and all(answer(model, 0) == before for model in range(1, len(changes)))
    for change, folder in zip(changes, folders, strict=True):
        change(folder / name)
    found = {change: [answer(model, part) for part in (2, 4, 0)] for model, change in enumerate(changes)}
    _, complaints = worker.communicate()
    assert (worker.returncode, complaints) == (0, "")
    for change in OTHERS:
        assert [kind for kind, *_ in found[change]] == ["text"] * 3
        assert found[change][2] == before and found[change] == found[rename]
    for change in IN_PLACE:
        for kind, *said in found[change]:
            assert kind == "error" and "was changed or cut short while it was in use" in said[0], (change, said)
            assert name in said[0]
