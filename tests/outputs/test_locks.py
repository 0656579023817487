"""One writer for each output."""

from __future__ import annotations

import contextlib
import errno
import inspect
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from graphmt.align import AlignOptions
from graphmt.align.step import Outputs, align_files
from graphmt.consensus import ConsensusDecoder, ConsensusOptions
from graphmt.errors import InputError
from graphmt.experiments import RECIPES, run
from graphmt.storage import locks
from graphmt.storage.folders import writing_folder
from graphmt.storage.locks import writer_lock
from graphmt.storage.together import writing_together
from graphmt.tune import tune_model
from tiny_training import TUNE, Tiny, graphmt, names, one_sentence

HOLD = """
import sys
from graphmt.storage import locks
from graphmt.storage.locks import writer_lock
with writer_lock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def held(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that is writing."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_writer_is_refused_and_a_killed_one_leaves_no_lock(tiny: Tiny, tmp_path: Path) -> None:
    out = tmp_path / "model"
    with held(out) as other:
        done = graphmt(*tiny.command(out))
        one_sentence(done, f"{out}: process {other.pid} is writing this.")
        assert names(tmp_path) == [".model.lock"]
        other.kill()
        other.wait()
        tiny.train(out)
    assert names(tmp_path) == ["model"]


def test_every_writer_of_several_files_has_a_lock(tiny: Tiny, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    busy = pytest.raises(InputError, match=r"process \d+ is writing this")
    # Another thread is as good as another process, and quicker.
    ready, end = threading.Event(), threading.Event()

    def other() -> None:
        with writer_lock(out), writer_lock(model):
            ready.set()
            end.wait()

    thread = threading.Thread(target=other)
    thread.start()
    ready.wait()
    try:
        with busy:
            tiny.train(out)
        with busy:
            tune_model(model, *tiny.dev, TUNE)
        with busy:
            tune_model(model, *tiny.dev, TUNE, out=out)
        with busy:
            align_files(tiny.files["source"], tiny.files["target"], Outputs(out), AlignOptions())
        with busy, writing_together(tmp_path / "other", out):
            pass
        with busy, writing_folder(out, "marker", owned=lambda name: True):
            pass
        with busy:
            ConsensusDecoder(None, None, ConsensusOptions(), ()).save(out)  # type: ignore[arg-type]
    finally:
        end.set()
        thread.join()
    assert names(tmp_path) == ["model"]


def test_an_experiment_has_its_folder_to_itself(tmp_path: Path) -> None:
    (tmp_path / "data" / "x-de-en").mkdir(parents=True)
    for part in ("train", "dev", "test"):
        for side in ("de.conllu", "en"):
            (tmp_path / "data" / "x-de-en" / f"{part}.{side}").write_text("")
    with held(tmp_path / "out"), pytest.raises(InputError, match=r"out: process \d+ is writing"):
        run(RECIPES["segmentation"], tmp_path / "data", tmp_path / "out", corpora=["x-de-en"])


def test_the_same_thread_may_take_a_lock_again(tmp_path: Path) -> None:
    with writer_lock(tmp_path / "a"):
        with writer_lock(tmp_path / "b" / ".." / "a"), writer_lock(tmp_path / "a"):
            pass
        assert names(tmp_path) == [".a.lock"]
        with held(tmp_path / "b"):
            pass
    # The lock of a process that was killed is a file that nobody holds.
    assert names(tmp_path) == [".b.lock"]
    with writer_lock(tmp_path / "b"):
        assert (tmp_path / ".b.lock").read_text() == str(os.getpid())
    assert names(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="the order of two threads' openings is simulated with links")
def test_a_lock_file_that_was_removed_while_it_was_opened_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last holder removes it between our opening and locking: what we hold then is no file any more."""
    lock, seen = locks.lock_open_file, []

    def removed_first(number: int) -> bool:
        if not seen:
            (tmp_path / ".a.lock").unlink()
        seen.append(number)
        return lock(number)

    monkeypatch.setattr(locks, "lock_open_file", removed_first)
    with writer_lock(tmp_path / "a"):
        assert len(seen) == 2 and names(tmp_path) == [".a.lock"]


def test_a_signal_at_any_moment_leaves_no_lock(tmp_path: Path) -> None:
    """The exception of a signal may be raised after any call, that of ``os.open`` included."""
    moments = 0

    def use(moment: float) -> None:
        """Take a lock, and be interrupted after so many calls from the module."""
        nonlocal moments
        moments = 0

        def count(frame: FrameType, event: str, called: object) -> None:
            nonlocal moments
            # A signal is not looked at when a generator goes on, which is a call here.
            is_moment = event == "c_return" or (event == "call" and not frame.f_code.co_flags & inspect.CO_GENERATOR)
            if not is_moment or frame.f_code.co_filename != locks.__file__:
                return
            # What follows the removal is the end.
            moments += called is not os.close
            if moments > moment:
                sys.setprofile(None)
                raise SystemExit(143)

        sys.setprofile(count)
        try:
            with writer_lock(tmp_path / "a"):
                assert (tmp_path / ".a.lock").exists()
                raise SystemExit(0)
        finally:
            sys.setprofile(None)

    with pytest.raises(SystemExit, match="0"):
        use(float("inf"))
    taken = moments
    assert taken > 10
    for moment in range(taken):
        with pytest.raises(SystemExit):
            use(moment)
        assert names(tmp_path) == [], moment
    with writer_lock(tmp_path / "a"):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="locks by flock")
@pytest.mark.parametrize(
    ("error", "locked"),
    [(errno.EWOULDBLOCK, False), (errno.EACCES, False), (errno.ENOLCK, True), (errno.EOPNOTSUPP, True)],
)
def test_where_locks_are_not_supported_files_count_as_locked(
    monkeypatch: pytest.MonkeyPatch, error: int, locked: bool
) -> None:
    def fail(*_: object) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(locks.fcntl, "flock", fail)
    assert locks.lock_open_file(0) is locked
