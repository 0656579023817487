"""Runs blocks of the documentation."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import shlex
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from doc_blocks import Block
from graphmt.storage.files import link_or_copy
from programs import installed

#: Where a server listens in the documentation.
DOCUMENTED = "127.0.0.1:5000"
SERVE = "graphmt serve "


@dataclasses.dataclass(frozen=True)
class Shell:
    """Runs blocks in a folder; ``graphmt`` and ``python`` are forked processes."""

    programs: Path

    @contextlib.contextmanager
    def serving(self, block: Block, folder: Path) -> Iterator[str]:
        """The address of a server that a block starts, at a free port; it must stop when it is asked to."""
        [command] = block.code.strip().splitlines()
        # Signals do not reach forked processes.
        with subprocess.Popen(
            [installed(), *shlex.split(command)[1:], "--port", "0"],
            cwd=folder,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as server:
            assert server.stderr is not None
            try:
                said = iter(server.stderr.readline, "")
                found = next((found for line in said if (found := re.search(r"http://([0-9.:]+)/", line))), None)
                assert found, f"{block.place}: the server did not start"
                rest = threading.Thread(target=server.stderr.read)
                rest.start()
                yield found[1]
                server.terminate()
                assert server.wait() == 0, block.place
                rest.join()
            finally:
                server.kill()

    def run(self, block: Block, folder: Path, address: str = DOCUMENTED) -> str:
        """The standard output; a block that fails fails the test and shows what it said.

        ``address`` is that of a server which is running in place of the documented one.
        """
        block = dataclasses.replace(block, code=block.code.replace(DOCUMENTED, address))
        if block.language == "python":
            script = folder / ".block.py"
            script.write_text(block.code, "utf-8")
            command = ["python", str(script)]
        else:
            command = ["bash", "-euo", "pipefail", "-c", block.code]
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, f"{block.place}\n{block.code}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return done.stdout


def copy_of(folder: Path, to: Path) -> Path:
    """The same files at another place: as links, for graphmt replaces files and never writes into them."""
    for path in folder.rglob("*"):
        if path.is_file():
            place = to / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            link_or_copy(path, place)
    return to
