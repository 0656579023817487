"""Jobs of a bench, each in a process of its own, so that time and memory are its own as well."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Gets the data, a folder to work in, and further words; returns figures.
Job = Callable[..., dict[str, Any]]


def measured(script: str, data: Path, folder: Path, *job: str, **options: str) -> dict[str, Any]:
    """The figures of a job that ``script`` does when called with ``--job FOLDER NAME ...`` and some options."""
    more = [word for name, value in options.items() for word in (f"--{name}", value)]
    command = [sys.executable, script, "--data", str(data), *more, "--job", str(folder), *job]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def do(jobs: dict[str, Job], data: Path, words: list[str]) -> None:
    """Do the job that the words after ``--job`` name, and print its figures with the peak memory of this process."""
    folder, job, *more = words
    found = jobs[job](data, Path(folder), *more)
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps(found))
