"""Commands in processes of their own without the time that Python takes to start: one process imports everything and
forks for each command.

Reads a JSON line for each command: arguments, code to run first, and what its standard output is; answers with one.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from typing import IO

from graphmt.cli import app, main
from typer.testing import CliRunner


def _child(asked: dict[str, object], out: int, err: int) -> None:
    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115
    sys.argv = ["graphmt", *map(str, asked["arguments"])]  # type: ignore[call-overload]
    exec(str(asked["first"]), {})
    main()


def _run(asked: dict[str, object]) -> dict[str, object]:
    with tempfile.TemporaryFile() as err, _opened(str(asked["out"])) as out:
        number = os.fork()
        if number == 0:
            # Python ends as it always does: what is left in buffers is written.
            _child(asked, out.fileno(), err.fileno())
            sys.exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
        texts = []
        for stream in (out, err):
            if stream.readable():
                stream.seek(0)
                texts.append(stream.read().decode())
            else:
                texts.append("")
        return {"code": code, "out": texts[0], "err": texts[1]}


def _opened(path: str) -> IO[bytes]:
    return open(path, "wb") if path else tempfile.TemporaryFile()  # noqa: PTH123


if __name__ == "__main__":
    # What a command imports only when it runs.
    CliRunner().invoke(app, ["lm", "info", "none"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in iter(sys.stdin.readline, ""):
        print(json.dumps(_run(json.loads(line))), flush=True)
