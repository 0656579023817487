"""A real cluster on this machine, some of whose executors are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from graphmt.errors import MissingPackageError
from graphmt.rules import ExtractOptions, extract_rules
from graphmt.spark.session import require_spark
from graphmt.systems import system
from small_models import Trained
from spark_corpus import Corpus

#: Runs extraction on a cluster of two executors.
PROGRAM = """
import sys
from graphmt import spark
from graphmt.rules import ExtractOptions
from graphmt.spark.jobs import Stages
from graphmt.spark.reading import aligned_pairs

source, target, alignment, trees, out, work, name = sys.argv[1:]
settings = {
    "spark.executor.memory": "700m",
    "spark.sql.shuffle.partitions": "4",
    "spark.task.maxFailures": "8",
    # Give a replacement of a killed executor time to start.
    "spark.deploy.maxExecutorRetries": "-1",
}
session = spark.open_session("local-cluster[2,1,900]", settings)
print("opened", flush=True)
pairs = aligned_pairs(Stages(session, work + "/corpus", {}), source, target, alignment, trees)
spark.extract_rules(pairs.repartition(4), name, out, parts=5, work=work, options=ExtractOptions(threads=1))
print("done", flush=True)
session.stop()
"""


def executors(of: int) -> list[int]:
    """The processes of executors below a process."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found, known = [], {of}
    while more := {number for number, parent in parents.items() if parent in known} - known:
        known |= more
    for number in known:
        try:
            if b"CoarseGrainedExecutorBackend" in (Path("/proc") / str(number) / "cmdline").read_bytes():
                found.append(number)
        except OSError:
            continue
    return found


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_killed_executors_do_not_change_the_table(demo: Trained, tmp_path: Path) -> None:
    try:
        require_spark()
    except MissingPackageError as error:
        pytest.skip(str(error))
    if sys.platform != "linux":
        pytest.skip("finds executors in /proc")
    corpus = Corpus(demo, tmp_path, 200)
    out, work = tmp_path / "spark.bin", tmp_path / "work"
    arguments = [*corpus.files(), corpus.trees, out, work, "gbmt"]
    killed = 0
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "opened\n"
        # One executor is killed in each stage: once before anything is whole, then whenever another stage is.
        for whole in (None, "symbols", "merged"):
            while run.poll() is None:
                alive = executors(run.pid)
                if alive and (whole is None or (work / f"{whole}.json").exists()):
                    os.kill(alive[0], signal.SIGKILL)
                    killed += 1
                    break
                time.sleep(0.1)
        assert run.stdout.read() == "done\n"
    assert run.returncode == 0
    assert killed == 3
    options = ExtractOptions(threads=1)
    extract_rules(system("gbmt"), *corpus.files(), tmp_path / "one.bin", trees=corpus.trees, options=options)
    assert out.read_bytes() == (tmp_path / "one.bin").read_bytes()
