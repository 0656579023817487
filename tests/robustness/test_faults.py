"""Verbs under faults of the system: each ends with a documented exit code and a sentence, and leaves no half outputs.

The table of commands is in :mod:`robustness.commands`; here are the faults.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robustness.commands import COMMANDS, Command, Done, Server, copied, litter

pytest.importorskip("resource", reason="limits of processes need Unix")

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
NOBODY = 65534
#: Those that are not started again and again by others, and quick.
QUICK = [COMMANDS[name] for name in ("lm", "train", "tune", "rerank")]
#: Commands that print their result.
PRINTING = {
    "translate": "translate btg corpus/train.de --threads 1",
    "n-best": "translate btg corpus/dev.de --n-best 20 --threads 1",
    "score": "lm score lm.bin corpus/train.en",
    "stats": "corpus stats corpus/train.de corpus/train.en",
    "tokenise": "corpus tokenise corpus/train.en - --language en",
    "evaluate": "evaluate corpus/dev.en corpus/dev.en",
    "rules": "inspect rules btg der",
    "options": "options",
}


def require_whole_or_absent(command: Command, folder: Path, before: dict[str, bytes], done: Done) -> None:
    """The one assertion of all faults."""
    done.require_a_sentence()
    if done.code:
        assert {name: content for name, content in command.made(folder).items() if before.get(name) != content} == {}
        drafts = [name for name in litter(folder) if Path(name).name.startswith(".")]
        assert drafts == [], drafts


def under(command: Command, server: Server, folder: Path, **fault: Any) -> Done:
    before = command.made(folder)
    done = server.run(command.split(), folder, **fault)
    require_whole_or_absent(command, folder, before, done)
    return done


@pytest.fixture(scope="module")
def small_disk() -> Iterator[Path]:
    """A file system of 32 MiB."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", folder], capture_output=True)
        if mounted.returncode:
            pytest.skip("needs the right to mount a file system")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


@LINUX
@pytest.mark.parametrize("free", [0, 20_000])
@pytest.mark.parametrize("command", QUICK, ids=lambda one: one.name)
def test_a_full_disk(
    command: Command, free: int, small_disk: Path, prepared: Path, server: Server, tmp_path: Path
) -> None:
    folder = copied(prepared, small_disk / "folder")
    try:
        about = os.statvfs(small_disk)
        with (small_disk / "ballast").open("wb") as stream, contextlib.suppress(OSError):
            stream.write(bytes(max(0, about.f_bavail * about.f_frsize - free)))
        streams = {"stdout": str(tmp_path / "stdout"), "stderr": str(tmp_path / "stderr")}
        done = under(command, server, folder, **streams)
        if done.code:
            assert "disk is full" in done.stderr or "No space left" in done.stderr, done.stderr
    finally:
        (small_disk / "ballast").unlink()
        shutil.rmtree(folder)


@pytest.mark.parametrize("command", QUICK, ids=lambda one: one.name)
def test_a_limit_on_the_size_of_files(command: Command, prepared: Path, server: Server, tmp_path: Path) -> None:
    done = under(command, server, copied(prepared, tmp_path / "folder"), limits={"fsize": 1000})
    assert done.code == 1


@pytest.mark.parametrize("command", QUICK, ids=lambda one: one.name)
def test_a_folder_that_cannot_be_written(command: Command, prepared: Path, server: Server) -> None:
    """As root nothing is forbidden, so root becomes somebody else for it."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = copied(prepared, Path(name) / "folder")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        streams = {}
        for stream in ("stdout", "stderr"):
            (Path(name) / stream).touch()
            (Path(name) / stream).chmod(0o666)
            streams[stream] = str(Path(name) / stream)
        done = under(command, server, folder, **streams, **({"user": NOBODY} if os.getuid() == 0 else {}))
        assert done.code == 1 and "permission denied" in done.stderr, done.stderr
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_few_open_files(command: Command, prepared: Path, server: Server, tmp_path: Path) -> None:
    under(command, server, copied(prepared, tmp_path / "folder"), limits={"nofile": 32})


@LINUX
@pytest.mark.parametrize("megabytes", [4, 60])
@pytest.mark.parametrize("command", QUICK, ids=lambda one: one.name)
def test_little_memory(command: Command, megabytes: int, prepared: Path, server: Server, tmp_path: Path) -> None:
    under(command, server, copied(prepared, tmp_path / "folder"), limits={"as": megabytes << 20})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_polite_stop(command: Command, number: int, prepared: Path, server: Server, tmp_path: Path) -> None:
    done = under(command, server, copied(prepared, tmp_path / "folder"), kill_after=0.1, signal=number)
    assert done.code in (0, 128 + number)


@pytest.mark.parametrize("command", QUICK, ids=lambda one: one.name)
def test_two_writers_of_one_output(command: Command, prepared: Path, server: Server, tmp_path: Path) -> None:
    """Both may come to an end, or one may be refused; either way the output is that of one of them, and whole."""
    calm = copied(prepared, tmp_path / "calm")
    assert server.run(command.split(), calm).code == 0
    folder = copied(prepared, tmp_path / "folder")
    with Server() as other:
        for number, one in enumerate((server, other)):
            streams = {name: str(tmp_path / f"{name}{number}") for name in ("stdout", "stderr")}
            one.start(command.split(), folder, **streams)
        ends = [server.wait(), other.wait()]
    for done in ends:
        done.require_a_sentence()
    assert 0 in [done.code for done in ends], ends
    if command.name != "tune" or ends[0].code or ends[1].code:
        # The second of two tunings that end begins with the weights that the first has found.
        assert command.made(folder) == command.made(calm)
    assert litter(folder) == []


@pytest.mark.parametrize("arguments", PRINTING.values(), ids=PRINTING)
def test_output_that_nobody_reads(arguments: str, prepared: Path, server: Server) -> None:
    """As in ``graphmt … | head -0``: that is no failure."""
    done = server.run(["--quiet", *arguments.split()], prepared, stdout="|")
    assert (done.code, done.stderr) == (0, "")


@LINUX
@pytest.mark.parametrize("arguments", PRINTING.values(), ids=PRINTING)
def test_output_to_a_full_disk(arguments: str, prepared: Path, server: Server) -> None:
    done = server.run(["--quiet", *arguments.split()], prepared, stdout="/dev/full")
    done.require_a_sentence()
    assert done.code == 1 and "standard output" in done.stderr


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_standard_streams(closed: str, prepared: Path) -> None:
    """What a daemon may start a command with. Files opened later must not be taken for the closed streams."""
    command = f"exec {sys.executable} -m graphmt --quiet translate btg --threads 1 -o closed.out {closed}"
    given = f"{command} corpus/dev.de" if "0<" in closed else f"{command} < corpus/dev.de"
    done = subprocess.run(["sh", "-c", given], cwd=prepared, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len((prepared / "closed.out").read_text("utf-8").splitlines()) == 6
    (prepared / "closed.out").unlink()


def test_closed_output_is_a_sentence(prepared: Path) -> None:
    command = f"exec {sys.executable} -m graphmt translate btg corpus/dev.de --threads 1 1>&-"
    done = subprocess.run(["sh", "-c", command], cwd=prepared, capture_output=True, text=True)
    Done(done.returncode, done.stdout, done.stderr, 0.0).require_a_sentence()
    assert done.returncode == 1
