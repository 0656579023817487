"""Commands in processes of their own, forked from one that has imported everything already (:mod:`fork_server`)."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

#: In the place of a file name: a pipe whose reader has gone.
UNREAD = "|"

#: A program that passes its arguments, folder and streams to the server, and ends as the forked process ends.
_PROGRAM = """#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({socket!r})
request = {{"program": {program!r}, "arguments": sys.argv[1:], "folder": os.getcwd(), "environment": {{**os.environ}}}}
socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
server.shutdown(socket.SHUT_WR)
answer = b"".join(iter(lambda: server.recv(4096), b""))
code = json.loads(answer)["code"] if answer else 70
os._exit(code if code >= 0 else 128 - code)
"""


@dataclasses.dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str
    seconds: float


class Started:
    """A command that runs."""

    def __init__(self, connection: socket.socket, texts: Sequence[Path]) -> None:
        self._connection, self._texts = connection, texts

    def wait(self) -> Done:
        """Its end; files with its output are read and removed."""
        with self._connection:
            answer = json.loads(b"".join(iter(lambda: self._connection.recv(4096), b"")))
        return Done(answer["code"], *map(_taken, self._texts), answer["seconds"])


class ForkServer:
    """The client's side of a server, which ends with the ``with`` block."""

    def __init__(self) -> None:
        if not hasattr(os, "fork") or not hasattr(socket, "AF_UNIX"):
            pytest.skip("processes are forked, which needs Unix")
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> ForkServer:
        # The path of a socket has to be short.
        self.folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="graphmt")))
        self._socket = self.folder / "socket"
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("fork_server.py")), str(self._socket)],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        self._stack.callback(process.communicate)
        self._stack.callback(process.kill)
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def programs(self, *names: str) -> Path:
        """A folder with programs of these names (``graphmt``, ``python``) for a shell."""
        for name in names:
            path = self.folder / name
            path.write_text(_PROGRAM.format(python=sys.executable, socket=str(self._socket), program=name), "utf-8")
            path.chmod(0o755)
        return self.folder

    def start(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        stdin: str = os.devnull,
        stdout: str = "",
        stderr: str = "",
        **request: Any,
    ) -> Started:
        """Start ``graphmt`` with its streams in files; other keywords are as :mod:`fork_server` takes them."""
        texts = [stdout or str(folder / ".stdout"), stderr or str(folder / ".stderr")]
        content = {"program": "graphmt", "arguments": list(arguments), "folder": str(folder), **request}
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(self._socket))
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(_opened(name, number)) for number, name in enumerate([stdin, *texts])]
            socket.send_fds(connection, [json.dumps(content).encode()], streams)
        connection.shutdown(socket.SHUT_WR)
        return Started(connection, [Path(name) for name in texts])

    def run(self, arguments: Sequence[str], folder: Path, **request: Any) -> Done:
        """Start and wait."""
        return self.start(arguments, folder, **request).wait()


@contextlib.contextmanager
def _opened(name: str, number: int) -> Iterator[int]:
    if name == UNREAD:
        reader, opened = os.pipe()
        os.close(reader)
    else:
        opened = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY)
    try:
        yield opened
    finally:
        os.close(opened)


def _taken(path: Path) -> str:
    if not path.is_file():
        return ""
    text = path.read_text("utf-8", "replace")
    path.unlink()
    return text
