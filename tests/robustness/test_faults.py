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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from forked import UNREAD, Done, ForkServer
from rights import needs_permissions

from robustness.commands import Calm, Command, copied, litter, params, require_a_sentence, short_params

pytest.importorskip("resource", reason="limits of processes need Unix")

Under = Callable[..., Done]

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
#: How the C library ends a process that loads a library without memory for it; nothing in the process can catch this.
OUT_OF_THREAD_MEMORY = "cannot allocate memory for thread-local data: ABORT\n"
#: Commands that are quick enough for every fault.
QUICK = params(names=("lm", "train", "tune", "rerank"))
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


@pytest.fixture
def under(server: ForkServer, calm: Calm) -> Under:
    """Runs a command under a fault, with the one assertion of all faults: a sentence, and whole outputs or none."""

    def run(command: Command, folder: Path, *, may_leave: tuple[str, ...] = (), **fault: Any) -> Done:
        before, (expected, _) = command.made(folder), calm(command)
        done = server.run(command.split(), folder, **fault)
        if done.code != -fault.get("signal", 0) and done.stderr != OUT_OF_THREAD_MEMORY:
            require_a_sentence(done)
        made = command.made(folder)
        for name, content in made.items():
            assert content in (before.get(name), expected.get(name)), f"{name} is neither old nor new"
        assert done.code or made == expected
        # A run that can be resumed keeps a folder, in which the next one clears up.
        left = [name for name in litter(folder) if Path(name).parts[0].startswith(".")]
        assert [name for name in left if name not in may_leave] == []
        return done

    return run


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
    command: Command, free: int, small_disk: Path, prepared: Path, under: Under, tmp_path: Path
) -> None:
    folder = copied(prepared, small_disk / "folder")
    try:
        about = os.statvfs(small_disk)
        with (small_disk / "ballast").open("wb") as stream, contextlib.suppress(OSError):
            stream.write(bytes(max(0, about.f_bavail * about.f_frsize - free)))
        streams = {"stdout": str(tmp_path / "stdout"), "stderr": str(tmp_path / "stderr")}
        done = under(command, folder, **streams)
        if done.code:
            assert "disk is full" in done.stderr or "no space left" in done.stderr.lower(), done.stderr
    finally:
        (small_disk / "ballast").unlink()
        shutil.rmtree(folder)


@pytest.mark.parametrize("command", QUICK, ids=lambda one: one.name)
def test_a_limit_on_the_size_of_files(command: Command, prepared: Path, under: Under, tmp_path: Path) -> None:
    done = under(command, copied(prepared, tmp_path / "folder"), limits={"fsize": 1000})
    assert done.code == 1


@needs_permissions
@pytest.mark.parametrize("command", QUICK, ids=lambda one: one.name)
def test_a_folder_that_cannot_be_written(command: Command, prepared: Path, under: Under, tmp_path: Path) -> None:
    folder = copied(prepared, tmp_path / "folder")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    streams = {stream: str(tmp_path / stream) for stream in ("stdout", "stderr")}
    done = under(command, folder, **streams, bound=True)
    assert done.code == 1 and "permission denied" in done.stderr, done.stderr
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)


@pytest.mark.parametrize(
    "command",
    [*params(names=["align"]), *QUICK, *short_params()],
    ids=lambda one: one.name,
)
def test_few_open_files(command: Command, prepared: Path, under: Under, tmp_path: Path) -> None:
    under(command, copied(prepared, tmp_path / "folder"), limits={"nofile": 32})


@LINUX
@pytest.mark.parametrize("megabytes", [4, 60])
@pytest.mark.parametrize("command", QUICK[:2], ids=lambda one: one.name)
def test_little_memory(command: Command, megabytes: int, prepared: Path, under: Under, tmp_path: Path) -> None:
    # Memory that cannot be had in the core ends the process at once. The file of its lock stays, but nobody holds it.
    under(command, copied(prepared, tmp_path / "folder"), limits={"as": megabytes << 20}, may_leave=(".made.lock",))


@pytest.mark.parametrize(
    ("command", "number"),
    [*params(signal.SIGTERM), *params(signal.SIGINT, names=("lm", "train"))],
    ids=lambda one: one.name,
)
def test_a_polite_stop(command: Command, number: int, prepared: Path, under: Under, tmp_path: Path) -> None:
    # On a busy machine the signal may come before the command could say what to do with it.
    for after in (0.1, 0.5, 2.5, 12.5):
        done = under(command, copied(prepared, tmp_path / str(after)), kill_after=after, signal=number)
        if done.code != -number:
            break
    assert done.code in (0, 128 + number)
    # Every stage says how to go on.
    assert not done.code or "run the same command again" in done.stderr


@pytest.mark.parametrize("command", QUICK, ids=lambda one: one.name)
def test_two_writers_of_one_output(
    command: Command, prepared: Path, server: ForkServer, calm: Calm, tmp_path: Path
) -> None:
    """Both may come to an end, or one may be refused; either way the output is that of one of them, and whole."""
    folder = copied(prepared, tmp_path / "folder")
    both = []
    for number in range(2):
        streams = {name: str(tmp_path / f"{name}{number}") for name in ("stdout", "stderr")}
        both.append(server.start(command.split(), folder, **streams))
    ends = [one.wait() for one in both]
    for done in ends:
        require_a_sentence(done)
    assert 0 in [done.code for done in ends], ends
    if command.name != "tune" or ends[0].code or ends[1].code:
        # The second of two tunings that end begins with the weights that the first has found.
        assert command.made(folder) == calm(command)[0]
    assert litter(folder) == []


@pytest.mark.parametrize("arguments", PRINTING.values(), ids=PRINTING)
def test_output_that_nobody_reads(arguments: str, prepared: Path, server: ForkServer) -> None:
    """As in ``graphmt … | head -0``: that is no failure."""
    done = server.run(["--quiet", *arguments.split()], prepared, stdout=UNREAD)
    assert (done.code, done.stderr) == (0, "")


@LINUX
@pytest.mark.parametrize("arguments", PRINTING.values(), ids=PRINTING)
def test_output_to_a_full_disk(arguments: str, prepared: Path, server: ForkServer) -> None:
    done = server.run(["--quiet", *arguments.split()], prepared, stdout="/dev/full")
    require_a_sentence(done)
    assert done.code == 1 and ("standard output" in done.stderr or "disk is full" in done.stderr)


@pytest.mark.parametrize("closed", ["0<&-", "1>&- 2>&-"])
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
    require_a_sentence(Done(done.returncode, done.stdout, done.stderr, 0.0))
    assert done.returncode == 1
