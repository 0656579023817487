"""A disk without room, and outputs that cannot be written: a sentence, and nothing half-written."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from graphmt import lm
from graphmt.errors import InputError
from graphmt.lm import LmOptions
from graphmt.storage.files import writing, writing_bytes
from graphmt.storage.folders import writing_folder
from graphmt.storage.temporary import temporary_folder
from graphmt.storage.together import writing_together
from rights import needs_permissions
from tiny_training import Tiny, content, graphmt, names, one_sentence

FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of its own with 256 KB."""
    folder = tmp_path_factory.mktemp("disk")
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs root on Linux to mount a small disk")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"needs to mount a small disk: {done.stderr}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@contextlib.contextmanager
def filled(disk: Path, free: int) -> Iterator[None]:
    """So many bytes are left."""
    (disk / "filler").write_bytes(b"x" * (262144 - free))
    yield
    (disk / "filler").unlink()


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text whose language model has more than 300 KB."""
    path = tmp_path_factory.mktemp("text") / "text"
    path.write_text("".join(f"w{k % 997} w{k % 1009} w{k % 31}\n" for k in range(20000)))
    return path


@pytest.mark.parametrize("name", ["model.lm", "model.arpa"])
def test_a_language_model_on_a_full_disk(disk: Path, text: Path, name: str) -> None:
    done = graphmt("lm", "train", text, "--out", disk / name, "--order", 3)
    one_sentence(done, f"{disk / name}: no space left on device.")
    assert names(disk) == []


def test_training_on_a_full_disk_leaves_what_can_be_gone_on_from(disk: Path, tiny: Tiny) -> None:
    out = disk / "model"
    command = tiny.command(out)
    with filled(disk, 4096):
        one_sentence(graphmt(*command), "no space left on device.")
        assert names(disk) == ["filler"]
    with filled(disk, 40960):
        one_sentence(graphmt(*command), "no space left on device.")
        assert names(disk) in (["filler"], ["filler", "model.training"])
        left = [path for path in disk.rglob("*") if path.name.startswith(".")]
        assert left == []
    done = graphmt(*command)
    assert done.returncode == 0, done.stderr
    assert names(disk) == ["model"]
    shutil.rmtree(out)


def test_temporary_files_on_a_full_disk(disk: Path, text: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no space left on device\. This folder is for temporary files"):
        lm.train([text], tmp_path / "lm", LmOptions(order=4, max_memory=1, temporary=str(disk)))
    assert names(tmp_path) == [] and names(disk) == []


def test_temporary_folders_on_a_full_disk(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    told = pytest.raises(InputError, match=r"no space left on device\. This folder is for temporary files.*TMPDIR")
    with told, temporary_folder("test") as folder, (folder / "a").open("wb", buffering=0) as stream:
        for _ in range(400):
            stream.write(b"x" * 1024)
    assert names(disk) == []
    monkeypatch.setattr(tempfile, "tempdir", str(disk / "none"))
    with pytest.raises(InputError, match="none: no such file or folder"), temporary_folder("test"):
        pass
    # What is no matter of temporary files stays what it is.
    monkeypatch.setattr(tempfile, "tempdir", None)
    with pytest.raises(FileNotFoundError), temporary_folder("test"):
        Path("none").read_text()


def test_python_writers_on_a_full_disk(disk: Path) -> None:
    full = pytest.raises(InputError, match="no space left on device")
    for name in ("a.txt", "a.gz"):
        with full as raised, writing(disk / name) as out:
            out.writelines(f"{os.urandom(32).hex()}\n" for _ in range(8000))
        assert raised.value.file == str(disk / name)
    with full, writing_bytes(disk / "b") as raw:
        raw.write(b"x" * 400_000)
    with full as raised, writing_together(disk / "c", disk / "d") as (one, _):
        one.write("x" * 400_000)
    with full as raised, writing_folder(disk / "e", "m", owned=lambda name: True) as draft:
        (draft / "m").write_text("x" * 400_000)
    assert names(disk) == []


BOUND = "import rights; rights.respect_permissions()"
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))"


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of file size")
@pytest.mark.parametrize("name", ["model.lm", "model.arpa"])
def test_a_limit_of_file_size(text: Path, tmp_path: Path, name: str) -> None:
    done = graphmt("lm", "train", text, "--out", tmp_path / name, "--order", 3, first=LIMITED)
    one_sentence(done, str(tmp_path / name), "large")
    assert names(tmp_path) == []


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_a_device_that_is_full(tiny: Tiny, model: Path) -> None:
    done = graphmt("translate", model, tiny.dev[0], out=str(FULL))
    one_sentence(done, "standard output: no space left on device.")
    with pytest.raises(InputError, match="/dev/full: no space left on device"), writing(FULL) as stream:
        stream.write("x\n")


@needs_permissions
def test_a_folder_that_may_not_be_written(tiny: Tiny, tmp_path: Path) -> None:
    rom = tmp_path / "rom"
    rom.mkdir(mode=0o555)
    corpus = tmp_path / "data" / "x-de-en"
    corpus.mkdir(parents=True)
    for part in ("train", "dev", "test"):
        for side in ("de.conllu", "en"):
            (corpus / f"{part}.{side}").touch()
    commands = [
        tiny.command(rom / "m"),
        ["lm", "train", tiny.folder / "train.en", "--out", rom / "lm"],
        ["corpus", "tokenise", tiny.folder / "train.en", rom / "x"],
        ["experiment", "segmentation", "--corpus", "x-de-en", "--data", corpus.parent, "--out", rom / "e"],
    ]
    for command in commands:
        one_sentence(graphmt(*command, first=BOUND), str(rom), "permission denied.")
    assert content(rom) == {}
