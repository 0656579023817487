"""Runs ``graphmt`` commands in forked processes, each under a fault: ``python command_server.py``.

Starting Python and importing the package takes a second, most of what a small command needs. This process does it
once. It reads a request a line, as JSON, and answers with the exit code; :mod:`robustness.commands` talks to it.
The forked process runs the command as a user's does, down to what Python does at its end.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

import graphmt.cli
import graphmt.experiments
import numpy  # noqa: F401
import sacrebleu  # noqa: F401
from typer.testing import CliRunner

#: In the place of a file name: a pipe whose reader has gone.
UNREAD = "|"


def serve() -> dict[str, Any] | None:
    """Answer requests until there are no more; in a forked process, return its request."""
    # Not by sys.stdin, which is the command's and must not have been read.
    requests = os.fdopen(os.dup(0))
    for line in requests:
        request: dict[str, Any] = json.loads(line)
        begun = time.monotonic()
        pid = os.fork()
        if not pid:
            return request
        status = _waited(pid, begun, request.get("kill_after"), request.get("signal", signal.SIGKILL))
        code = os.waitstatus_to_exitcode(status)
        # Processes that it started are in its group. Those of a killed command would disturb the next one's time, not
        # its outcome: they write into temporary folders of their own.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        print(json.dumps({"code": code, "seconds": time.monotonic() - begun}), flush=True)
    return None


def _waited(pid: int, begun: float, after: float | None, how: int) -> int:
    while after is not None:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        left = begun + after - time.monotonic()
        if left <= 0:
            os.kill(pid, how)
            break
        time.sleep(min(left, 0.002))
    return os.waitpid(pid, 0)[1]


def become(request: dict[str, Any]) -> None:
    """Take on the folder, the streams and the limits of a request."""
    os.setsid()
    os.chdir(request["folder"])
    for number, name, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_WRONLY), (2, "stderr", os.O_WRONLY)):
        if request[name] == UNREAD:
            nobody, opened = os.pipe()
            os.close(nobody)
        else:
            opened = os.open(request[name], flags | (os.O_CREAT | os.O_TRUNC if number else 0))
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["graphmt", *request["arguments"]]
    if "user" in request:
        os.setgroups([])
        os.setresgid(*[request["user"]] * 3)
        os.setresuid(*[request["user"]] * 3)
    for name, value in request.get("limits", {}).items():
        limit = getattr(resource, f"RLIMIT_{name.upper()}")
        if name == "as":
            # On top of what the imported packages take.
            value += int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(limit, (value, value))


def warm_up() -> None:
    """Import what is imported at its first use: a limit is for the command, not for the imports of typer."""
    for arguments in (["options"], ["aer", "/dev/null", "/dev/null"], ["rerank", "/dev/null", "--help"]):
        CliRunner().invoke(graphmt.cli.app, arguments)


if __name__ == "__main__":
    warm_up()
    wanted = serve()
    if wanted is not None:
        become(wanted)
        graphmt.cli.main()
