"""Fresh processes that need not import graphmt again.

The examples of the documentation run many commands, and a Python process spends most of a second importing before
it does anything. ``python warm.py SOCKET`` imports once and then forks a process for every request; ``CLIENT`` is a
program that hands its arguments, its folder and its standard streams to such a process and ends as it ends.
"""

from __future__ import annotations

import array
import atexit
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import traceback

import typer

IMPORTED = (
    "graphmt.cli",
    "graphmt.consensus",
    "graphmt.evaluate.report",
    "graphmt.experiments",
    "numpy",
    "sacrebleu",
    "sacremoses",
)
CLIENT = """#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({socket!r})
request = json.dumps([os.getcwd(), {program!r}, *sys.argv[1:]])
socket.send_fds(server, [request.encode()], [0, 1, 2])
server.shutdown(socket.SHUT_WR)
answer = server.recv(16)
os._exit(int(answer) if answer else 70)
"""


def serve(path: str) -> None:
    """Answer requests until the process is ended."""
    for module in IMPORTED:
        importlib.import_module(module)
    # Building the commands from their signatures takes as long as the imports.
    built = typer.main.get_command(sys.modules["graphmt.cli"].app)
    typer.main.get_command = lambda _: built
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _answer(connection)
        connection.close()


def _answer(connection: socket.socket) -> None:
    """Do what was asked, in a process of its own, and end it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request, streams = b"", array.array("i")
    while True:
        data, found, _, _ = socket.recv_fds(connection, 65536, 3)
        if not data:
            break
        request += data
        streams.extend(found)
    folder, program, *sys.argv = json.loads(request)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # Those of the server remember what kind of files its own streams were.
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    os.chdir(folder)
    code = 1
    try:
        _run(program)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass
    connection.sendall(str(code).encode())
    os._exit(code)


def _run(program: str) -> None:
    from graphmt import cli

    if program == "graphmt":
        sys.argv.insert(0, "graphmt")
        cli.main()
    elif sys.argv[:1] == ["-c"]:
        exec(compile(sys.argv[1], "-c", "exec"), {"__name__": "__main__"})
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    serve(sys.argv[1])
