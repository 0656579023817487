"""A worker: a forked process that reads many inputs, one after the other, and may die of any of them."""

from __future__ import annotations

import mmap
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fuzz.outcome import OK, Outcome, attempt
from fuzz.readers import Reader

#: Seconds of CPU time for an input, and by the clock for one that waits: a busy machine is not a defect of the reader.
SECONDS, WAITING = 10.0, 30
#: Memory that an input may take, in bytes and as a multiple of its size.
MEMORY, TIMES = 256 << 20, 20
#: Address space beyond that: thread stacks, and what the allocator reserves without using it.
RESERVED = 512 << 20
#: How a worker ends that has used too much memory and must not go on.
TOO_MUCH = 99

#: The signals of inputs that take too long.
ALARMS = (signal.SIGPROF, signal.SIGALRM)

#: What workers and their parent share: the input under test, and how many were accepted and refused.
_BOARD = struct.Struct("<3q")


class Board:
    """Figures in memory that the parent can still read when the worker has died."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _BOARD.size)
        self.write(-1, 0, 0)

    def write(self, number: int, ok: int, refused: int) -> None:
        """Set the figures."""
        _BOARD.pack_into(self._shared, 0, number, ok, refused)

    def read(self) -> tuple[int, int, int]:
        """Number of the input under test, accepted inputs, refused inputs."""
        number, ok, refused = _BOARD.unpack_from(self._shared)
        return number, ok, refused


def spawn(work: Callable[[], int], stderr: Path) -> int:
    """Fork a process that does some work and exits with what it returns; gives its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with stderr.open("wb") as stream:
            os.dup2(stream.fileno(), 2)
        code = work()
    except BaseException as error:
        print(f"the harness itself failed: {error!r}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)
    return 0


def read_inputs(
    reader: Reader,
    folder: Path,
    inputs: Iterable[tuple[int, bytes]],
    failed: Callable[[bytes, Outcome], None],
    board: Board,
    seconds: float = SECONDS,
) -> int:
    """Read inputs in a folder of their own; ``failed`` gets those whose failure did not end the process."""
    read = reader.prepare(folder)
    path = folder / reader.file
    ok = refused = 0
    largest = 0
    before = _peak()
    _limit_address_space()
    # The default action of the alarms ends the process even where the core is in a loop.
    for alarm in ALARMS:
        signal.signal(alarm, signal.SIG_DFL)
    for number, data in inputs:
        # The file is there before it is read: if the process dies, the parent takes it from here.
        path.write_bytes(data)
        board.write(number, ok, refused)
        _set_alarms(seconds)
        outcome = attempt(read, path)
        _set_alarms(0)
        peak = _peak() - before
        if peak > max(MEMORY, TIMES * (largest := max(largest, len(data)))):
            outcome = Outcome("memory", "memory peak", f"{peak >> 20} MiB for an input of {len(data)} bytes")
        if outcome.failed:
            failed(data, outcome)
            if outcome.kind == "memory":
                # The peak stays: later inputs need a new process. This one is done.
                board.write(number, ok, refused)
                return TOO_MUCH
        elif outcome.kind == OK:
            ok += 1
        else:
            refused += 1
        board.write(number + 1, ok, refused)
    return 0


def _set_alarms(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, WAITING * seconds)


def death(status: int, folder: Path) -> Outcome | None:
    """What killed a worker, from its exit status; None if it came to its end."""
    if os.WIFEXITED(status):
        code = os.WEXITSTATUS(status)
        if code in (0, TOO_MUCH):
            return None
        return Outcome("crash", f"exit {code}", f"exit code {code}\n{_last_words(folder)}")
    number = os.WTERMSIG(status)
    if number in ALARMS:
        return Outcome("hang", "hang", f"no end after {SECONDS:g} s of CPU time or {WAITING * SECONDS:g} s of waiting")
    words = _last_words(folder)
    if "memory allocation" in words:
        return Outcome("memory", "allocation failed", words)
    return Outcome("crash", f"signal {number} {words[:60]}", f"{signal.Signals(number).name}\n{words}")


def _last_words(folder: Path) -> str:
    path = folder.with_suffix(".stderr")
    return path.read_bytes()[-2000:].decode("utf-8", "replace") if path.exists() else ""


def _peak() -> int:
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def _limit_address_space() -> None:
    status: Any = Path("/proc/self/statm")
    if status.exists():
        used = int(status.read_text().split()[0]) * resource.getpagesize()
        limit = used + MEMORY + RESERVED
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
