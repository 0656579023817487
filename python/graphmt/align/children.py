"""Runs programs of this folder as parallel processes, and reports their progress."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from graphmt.errors import GraphmtError
from graphmt.processes import as_completed, end, how_it_ended, program, start
from graphmt.progress import Advance


def run_children(
    file: str, requests: Sequence[Path], name: str, advance: Advance, *, threads: int, most_each: int = 1
) -> None:
    """Run a file of this folder for each request, as many at a time as there are threads (0: cores).

    Threads left over go to the children, at most ``most_each`` to one.

    A child prints its progress in thousandths. When one fails or the parent is interrupted, all are ended.
    """
    threads = threads or os.cpu_count() or 1
    at_once = min(threads, len(requests))
    each = max(1, min(most_each, threads // at_once))
    done = dict.fromkeys(requests, 0)
    lock = threading.Lock()
    started: list[subprocess.Popen[str]] = []
    stopping = threading.Event()

    def run(request: Path) -> None:
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints:
            with lock:
                if stopping.is_set():
                    return
                child = _start(file, request, each, complaints)
                started.append(child)
            assert child.stdout is not None
            with child.stdout:
                for line in child.stdout:
                    if line.strip().isdigit():
                        with lock:
                            done[request] = int(line)
                            advance(sum(done.values()) // len(done))
            code = child.wait()
            if child.stdin is not None:
                child.stdin.close()
            if code != 0 and not stopping.is_set():
                stopping.set()
                raise GraphmtError(_why(name, child.returncode, complaints), hint="Try another --model.")

    with ThreadPoolExecutor(max_workers=at_once) as pool:
        try:
            # An interrupt may come as soon as the first child is running.
            futures = [pool.submit(run, request) for request in requests]
            # The first failure ends the other children.
            for _ in as_completed(futures):
                pass
        except BaseException:
            stopping.set()
            with lock:
                for child in started:
                    end(child)
            raise


def _start(file: str, request: Path, threads: int, complaints: IO[str]) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        # The child has the parent's import path, without the current folder.
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONSAFEPATH": "1",
    }
    command = program(Path(__file__).with_name(file), str(request))
    return start(command, env=environment, stdout=subprocess.PIPE, stderr=complaints)


def _why(name: str, code: int, complaints: IO[str]) -> str:
    complaints.seek(0)
    said = [line.strip() for line in complaints.read().splitlines() if line.strip()]
    last = f": {said[-1]}" if said else ""
    if code < 0:
        return f"the aligner ({name}) was ended {how_it_ended(code)}{last}."
    return f"the aligner ({name}) stopped with exit code {code}{last}."
