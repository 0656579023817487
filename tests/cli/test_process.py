"""The command as a process: whatever happens to it, it ends with a sentence and an exit code."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from graphmt.cli import process
from graphmt.errors import InternalError, OptionError
from small_models import Trained

needs_posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX streams, limits and signals")
needs_linux = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at processes in /proc")

GRAPHMT = [sys.executable, "-m", "graphmt"]


class Panic(BaseException):
    """Like the panics of the core, no ``Exception``."""


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OptionError("threads must be few."), 2, "threads must be few."),
        (InternalError("broken."), 70, "broken."),
        (MemoryError(), 1, "out of memory. Use fewer --threads, a smaller --max-memory or less text at a time."),
        (OSError(errno.ENOSPC, "x", "a.bin"), 1, "a.bin: the disk is full. Free some space, or write to another disk."),
        (OSError(errno.EROFS, "x", "a.bin"), 1, "a.bin: the file system is read-only. Write somewhere else."),
        (OSError(errno.EACCES, "x", "a.bin"), 1, "a.bin: permission denied."),
        (OSError(errno.ENOENT, "x", "a.bin"), 1, "a.bin: no such file or folder."),
        (OSError(errno.EMFILE, "x"), 1, "too many open files. Raise the limit (ulimit -n) or use fewer --threads."),
        (OSError(errno.EIO, "I/O error", b"\xffa"), 1, "\\udcffa: I/O error."),
        (ImportError("a.so: failed to map segment from shared object"), 1, "out of memory."),
        (
            ImportError("No module named 'x'"),
            3,
            "a package that graphmt needs cannot be imported: No module named 'x'.",
        ),
        (RuntimeError("can't start new thread"), 1, "no more threads can be started."),
        (RecursionError("too deep"), 70, "RecursionError: too deep. This is a bug in graphmt: please report it"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), 70, "UnicodeDecodeError: "),
        (Panic("left: 1\nright: 2"), 70, "Panic: left: 1 right: 2. This is a bug in graphmt"),
        (ValueError("\x1b[31m"), 70, "ValueError: \\x1b[31m. This is a bug"),
        (BrokenPipeError(), 0, ""),
        (KeyboardInterrupt(), 130, f"interrupted; {process.START_OVER}"),
    ],
)
def test_every_exception_ends_in_one_sentence(
    error: BaseException, code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(SystemExit) as ended:
        process.run(fail, in_a_program=True)
    assert ended.value.code == code
    said = capsys.readouterr().err
    assert said.startswith(f"graphmt: {sentence}") if sentence else not said
    assert said.count("\n") == bool(sentence)


def test_the_traceback_is_for_those_who_ask(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRAPHMT_DEBUG", "1")

    def fail() -> None:
        raise ValueError("odd")

    with pytest.raises(SystemExit):
        process.run(fail, in_a_program=True)
    assert "in fail" in capsys.readouterr().err


def test_an_interrupt_is_told_as_one_whatever_it_became(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise OptionError("an import failed.") from None

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        process.run(fail, in_a_program=True)
    assert ended.value.code == 130
    assert capsys.readouterr().err.startswith("graphmt: interrupted; ")
    assert signal.getsignal(signal.SIGTERM) is before


def shells(*commands: str) -> list[tuple[int, str, str]]:
    """Exit code, output and messages of shell commands that run side by side; $G is the command."""
    each = {**os.environ, "G": " ".join(GRAPHMT), "PYTHONUNBUFFERED": ""}
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen(["bash", "-c", one], stdout=pipe, stderr=pipe, stdin=subprocess.DEVNULL, env=each, text=True)
        for one in commands
    ]
    done = [(*one.communicate(), one.returncode) for one in started]
    for command, (_, said, _) in zip(commands, done, strict=True):
        assert not re.search("Traceback|panicked|Exception ignored|Fatal|Aborted", said), (command, said)
    return [(code, out, said) for out, said, code in done]


@needs_posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_and_closed_streams(tmp_path: Path) -> None:
    full, closed, unread, shut, piped = shells(
        "$G --version > /dev/full",
        "$G --version >&-",
        "$G corpus stats - <&- 2>&1",
        f"$G lm info {tmp_path / 'none'} <&- >&- 2>&-",
        "$G options | head -1; exit ${PIPESTATUS[0]}",
    )
    assert full == (1, "", "graphmt: standard output: the disk is full. Free some space, or write to another disk.\n")
    assert closed[0] == 1
    assert closed[2].startswith("graphmt: standard output: closed.")
    assert unread[0] == 1
    assert unread[1].startswith("graphmt: ")
    assert shut == (1, "", "")
    assert piped == (0, "[clean]\n", "")


@needs_posix
def test_little_memory_and_few_files(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("".join(f"a b c {n}\n" for n in range(100)))
    train = f"$G -q lm train {text} -o {tmp_path}/lm-"
    short, enough, files = shells(
        "ulimit -v 120000; $G options",
        f"ulimit -v 1500000; {train}memory --threads 1024",
        f"ulimit -n 32; {train}files",
    )
    # How much is too little depends on the system's libraries, which may have a sentence of their own.
    assert short[0] == 0 or (short[0] == 1 and short[2].count("\n") == 1), short
    assert enough[0] == 0, enough
    assert files[0] == 0, files


@needs_posix
def test_the_core_out_of_memory_exits_with_a_sentence() -> None:
    program = (
        "import numpy, resource; from graphmt import _core; _core.exit_when_out_of_memory();"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, -1));"
        "_core.shuffled_sums(numpy.zeros((1, 1, 1)), 10**9, 1, threads=1)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("graphmt: out of memory: 8000000000 bytes more could not be had.")


@pytest.mark.parametrize(("given", "expected"), [(None, "4"), ("9", "9")])
def test_idle_threads_of_numpy_sleep_unless_the_environment_says_otherwise(
    given: str | None, expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "OPENBLAS_THREAD_TIMEOUT"
    # Set before it is removed, so that the command's own value goes with the test.
    monkeypatch.setenv(name, given or "")
    if given is None:
        monkeypatch.delenv(name)
    with pytest.raises(SystemExit):
        process.run(lambda: print(os.environ[name]), in_a_program=True)
    assert capsys.readouterr().out.strip() == expected


@needs_posix
def test_an_interrupt_during_imports() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "graphmt", "options"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as started:
        assert started.stderr is not None
        for line in started.stderr:
            if "numpy" in line:
                started.send_signal(signal.SIGINT)
                break
        said = started.stderr.read()
    assert started.returncode == 130
    assert "graphmt: interrupted; " in said
    assert "Traceback" not in said


def wait_for(what: Callable[[], object]) -> None:
    """Until it is so; the time limit of a test is the only one."""
    while not what():
        time.sleep(0.02)


def processes_with(text: str) -> Iterator[int]:
    """The processes, as the system lists them, that have a text in their command line."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if text.encode() in (entry / "cmdline").read_bytes():
                    yield int(entry.name)
            except OSError:
                continue


@needs_linux
def test_aligning_leaves_nothing_behind_when_it_is_ended(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    started: dict[str, subprocess.Popen[str]] = {}
    request.addfinalizer(lambda: [one.kill() for one in started.values()])
    for name in ("TERM", "INT", "KILL"):
        folder = tmp_path / name
        (folder / "tmp").mkdir(parents=True)
        for side in "st":
            (folder / side).write_text("a b c d e f g h\n" * 500)
        flags = f"--source {folder}/s --target {folder}/t --out {folder}/out --model ibm1 --threads 2".split()
        started[name] = subprocess.Popen(
            [*GRAPHMT, "align", *flags, "--ibm1-iterations", "1000000"],
            env={**os.environ, "TMPDIR": str(folder / "tmp")},
            stderr=subprocess.PIPE,
            text=True,
        )
    for name, one in started.items():
        requests = str(tmp_path / name / "tmp" / "graphmt-align-")
        wait_for(lambda one=one, requests=requests: one.poll() is not None or len([*processes_with(requests)]) == 2)
        one.send_signal(getattr(signal, f"SIG{name}"))
    said = {name: one.communicate()[1] for name, one in started.items()}
    assert {name: one.returncode for name, one in started.items()} == {"TERM": 143, "INT": 130, "KILL": -9}
    assert said["TERM"] == f"graphmt: ended by SIGTERM; {process.START_OVER}\n"
    assert said["INT"] == f"graphmt: interrupted; {process.START_OVER}\n"
    wait_for(lambda: not [*processes_with(str(tmp_path))])
    for name in ("TERM", "INT"):
        assert sorted(path.name for path in (tmp_path / name).rglob("*")) == ["s", "t", "tmp"]


@needs_posix
def test_interrupted_training_and_tuning_say_how_to_go_on(
    demo: Trained, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    config = tmp_path / "slow.toml"
    config.write_text("[align]\nibm1_iterations = 1000000\n")
    model, weights = tmp_path / "model", tmp_path / "w.toml"
    corpus = [f"--source={demo.source}", f"--target={demo.target}"]
    dev = [f"--source={demo.test}", f"--target={demo.test.with_name('test.en')}"]
    slow = ["--iterations=1000", "--patience=1000", "--n-best=200"]
    commands = {
        "Aligning words.": ["train", model, *corpus, "--aligner=ibm1", f"--config={config}"],
        "iteration 1 of": ["tune", demo.models["pbmt"], *dev, f"--out={weights}", *slow],
    }
    started: dict[str, subprocess.Popen[str]] = {}
    request.addfinalizer(lambda: [one.kill() for one in started.values()])
    started |= {
        mark: subprocess.Popen([*GRAPHMT, *map(str, one)], stderr=subprocess.PIPE, text=True)
        for mark, one in commands.items()
    }
    ends = []
    for mark, one in started.items():
        assert one.stderr is not None
        for line in one.stderr:
            if mark in line:
                one.send_signal(signal.SIGINT)
                break
        said = one.communicate()[1]
        assert "Traceback" not in said
        ends.append((one.returncode, said.splitlines()[-1]))
    go_on = "graphmt: interrupted; run the same command again to resume; finished"
    assert ends == [
        (130, f"{go_on} steps are kept in {model}.training."),
        (130, f"{go_on} iterations are kept in {weights}.tuning."),
    ]
    assert (tmp_path / "model.training" / "source.txt").exists()
    assert (tmp_path / "w.toml.tuning" / "state.json").exists()


@needs_posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda one: one.name)
def test_a_signal_during_a_finaliser_still_ends_the_command(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    """Python drops exceptions that finalisers raise; the request to stop must not be lost with them."""

    class Finalised:
        def __del__(self) -> None:
            os.kill(os.getpid(), number)

    def command() -> None:
        Finalised()
        time.sleep(60)
        raise AssertionError("the signal was lost")

    with pytest.raises(SystemExit) as ended:
        process.run(command, in_a_program=True)
    assert ended.value.code == 128 + number
    assert capfd.readouterr().err.count("\n") == 1
