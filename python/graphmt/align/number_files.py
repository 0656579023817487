"""Texts as files of word numbers, the input of aligners that run as other processes."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path

from graphmt.align.aligners import Job
from graphmt.align.pharaoh import BLOCK
from graphmt.storage.temporary import temporary_folder


@dataclasses.dataclass(frozen=True)
class NumberFiles:
    """Two files of word numbers, no line of them empty, and the temporary folder that they are in."""

    source: Path
    target: Path
    folder: Path


@contextlib.contextmanager
def number_files(job: Job) -> Iterator[NumberFiles]:
    """Write the kept pairs of a job; the folder is removed at the end of the block."""
    with temporary_folder("align") as folder:
        files = NumberFiles(folder / "source", folder / "target", folder)
        for path, text in ((files.source, job.source), (files.target, job.target)):
            with path.open("w", encoding="ascii", newline="\n") as stream:
                for start in range(0, len(text), BLOCK):
                    stream.write(text.numbers_as_text(job.kept, start, start + BLOCK))
        yield files
