"""Runs blocks of the documentation."""

from __future__ import annotations

import dataclasses
import os
import subprocess
from pathlib import Path

from doc_blocks import Block
from graphmt.storage.files import link_or_copy


@dataclasses.dataclass(frozen=True)
class Shell:
    """Runs blocks in a folder; ``graphmt`` and ``python`` are forked processes."""

    programs: Path

    def run(self, block: Block, folder: Path) -> str:
        """The standard output; a block that fails fails the test and shows what it said."""
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
