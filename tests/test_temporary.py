"""Folders for temporary files, also those of killed processes."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from graphmt.storage import temporary
from graphmt.storage.temporary import temporary_directory, temporary_folder

#: Makes a folder with a file in it, and waits.
HOLDER = """
import sys
from pathlib import Path
from graphmt.storage.temporary import temporary_directory
folder = temporary_directory("sent")
Path(folder.name, "file").touch()
print(folder.name, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporary.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    temporary._remove_abandoned.cache_clear()


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no locks on Windows")
def test_folders_of_killed_processes_are_removed_and_no_others(tmp_path: Path) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with (
        subprocess.Popen([sys.executable, "-c", HOLDER], **pipes) as killed,
        subprocess.Popen([sys.executable, "-c", HOLDER], **pipes) as alive,
    ):
        folders = [Path(process.stdout.readline().strip()) for process in (killed, alive)]
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        foreign = tmp_path / "graphmt-else"
        linked = tmp_path / f"graphmt-sent-{temporary._machine()}-linked"
        linked.symlink_to(foreign)
        foreign.mkdir()

        def left() -> set[Path]:
            temporary._remove_abandoned.cache_clear()
            with temporary_folder("spark") as own:
                return {path for path in tmp_path.iterdir() if path != own}

        # A folder that was just made may not be locked yet.
        assert left() == {*folders, foreign, linked}
        for folder in (*folders, foreign):
            os.utime(folder, (0, 0))
        assert left() == {folders[1], foreign, linked}
        assert (folders[1] / "file").exists()
        alive.stdin.close()
        alive.wait()
    assert left() == {foreign, linked}


def test_a_folder_and_its_lock_end_with_its_object(tmp_path: Path) -> None:
    with temporary_folder("spark") as folder:
        assert folder.is_dir()
    assert not folder.exists()
    made = temporary_directory("sent")
    unlock = made._unlock
    folder = Path(made.name)
    made.cleanup()
    made.cleanup()
    assert not folder.exists()
    with pytest.warns(ResourceWarning):
        made = temporary_directory("sent")
        unlock, folder = made._unlock, Path(made.name)
        del made
        gc.collect()
    assert not folder.exists()
    assert unlock is None or not unlock.alive
