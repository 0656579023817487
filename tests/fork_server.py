"""Runs commands in forked processes: ``python fork_server.py SOCKET``; :mod:`forked` has the clients.

A Python process spends most of a second on imports, which is most of what a small command needs. This process imports
once and forks for each request. The forked process then runs the command as a user's does, including what Python does
when it exits. A request is a JSON object, sent together with the three standard streams:

- ``program``: ``graphmt``, or ``python`` (``-c CODE`` or a script); ``arguments``; ``folder``; ``environment``
- ``first``: code to run before the command
- ``limits``: resource limits by name (``nofile``, ``fsize``, ``as``); ``bound``: root respects permissions
- ``kill_after``: seconds after which the command gets ``signal`` (SIGKILL by default)

The answer is a JSON object with ``code`` (negative: the signal that ended it) and ``seconds``.
"""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import json
import os
import resource
import runpy
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import typer
from rights import respect_permissions
from typer.testing import CliRunner

IMPORTED = (
    "graphmt.cli",
    "graphmt.consensus",
    "graphmt.evaluate.report",
    "graphmt.experiments",
    "numpy",
    "sacrebleu",
    "sacremoses",
)


def serve(path: str) -> dict[str, Any]:
    """Answer requests until the process is killed; in the process of a command, return its request."""
    _import_everything()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return _supervised(connection)
        connection.close()


def _import_everything() -> None:
    for module in IMPORTED:
        importlib.import_module(module)
    app = sys.modules["graphmt.cli"].app
    # Building the commands from their signatures takes as long as the imports.
    built = sys.modules["graphmt.cli.verbs"].with_all_verbs()
    typer.main.get_command = lambda _: built
    # Limits apply to the command, not to what is imported at its first use.
    for arguments in (["options"], ["aer", "/dev/null", "/dev/null"], ["rerank", "/dev/null", "--help"]):
        CliRunner().invoke(app, arguments)
    # No test cuts the power, so nothing has to wait for the disk.
    os.fsync = lambda _: None
    # When a command exits, Python would otherwise look at, and so copy, every object that was there before the fork.
    gc.collect()
    gc.freeze()


def _supervised(connection: socket.socket) -> dict[str, Any]:
    """Fork the command and answer when it has ended; in the command's process, return its request."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request, streams = _received(connection)
    begun = time.monotonic()
    pid = os.fork()
    if not pid:
        connection.close()
        _take_on(request, streams)
        return request
    for stream in streams:
        os.close(stream)
    code = os.waitstatus_to_exitcode(_waited(pid, begun, request))
    # Processes that it started are in its group. Those of a killed command would slow down the next one.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(json.dumps({"code": code, "seconds": time.monotonic() - begun}).encode())
    os._exit(0)


def _received(connection: socket.socket) -> tuple[dict[str, Any], array.array[int]]:
    content, streams = b"", array.array("i")
    while True:
        data, found, _, _ = socket.recv_fds(connection, 65536, 3)
        if not data:
            return json.loads(content), streams
        content += data
        streams.extend(found)


def _waited(pid: int, begun: float, request: dict[str, Any]) -> int:
    after = request.get("kill_after")
    while after is not None:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        left = begun + after - time.monotonic()
        if left <= 0:
            os.kill(pid, request.get("signal", signal.SIGKILL))
            break
        time.sleep(min(left, 0.002))
    return os.waitpid(pid, 0)[1]


def _take_on(request: dict[str, Any], streams: array.array[int]) -> None:
    """Take on the streams, the folder, the rights and the limits of a request."""
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # Those of the server remember what kind of files its own streams were.
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    os.chdir(request["folder"])
    if "environment" in request:
        os.environ.clear()
        os.environ.update(request["environment"])
    if request.get("bound"):
        respect_permissions()
    for name, value in request.get("limits", {}).items():
        if name == "as":
            # On top of what the imported packages take.
            value += int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))


def run(request: dict[str, Any]) -> None:
    """Run the command of a request in this process."""
    arguments = request["arguments"]
    exec(request.get("first", ""), {})
    if request["program"] == "graphmt":
        sys.argv = ["graphmt", *arguments]
        sys.modules["graphmt.cli"].main()
    elif arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        exec(compile(arguments[1], "-c", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    run(serve(sys.argv[1]))
