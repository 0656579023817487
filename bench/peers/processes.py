"""CPU time and memory of other processes."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Usage:
    """What one or several processes used: CPU and wall seconds, the largest peak memory in bytes."""

    cpu: float = 0.0
    wall: float = 0.0
    peak: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.cpu + other.cpu, self.wall + other.wall, max(self.peak, other.peak))


def run(
    command: Sequence[object],
    *,
    given: Path | None = None,
    out: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Usage:
    """Run a program to its end, with a file as its input and one for its output; nothing by default."""
    began = time.perf_counter()
    words = [str(word) for word in command]
    with Path(out or os.devnull).open("wb") as written, Path(given or os.devnull).open("rb") as read:
        process = subprocess.Popen(words, stdin=read, stdout=written, stderr=subprocess.PIPE, env=environment)
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{words[0]} ended with exit code {code}:\n{said.decode(errors='replace')[-2000:]}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss * unit)
