"""A real cluster on this machine, some of whose executors are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from graphmt import spark
from graphmt.demo import DemoOptions, write
from graphmt.errors import MissingPackageError
from graphmt.experiments import RECIPES, ExperimentOptions, run
from graphmt.rules import ExtractOptions, extract_rules
from graphmt.spark.session import require_spark
from graphmt.systems import SYSTEMS, system
from graphmt.training import train
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
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "opened\n"
        # One executor is killed in each stage: once before anything is whole, then whenever another stage is.
        for whole in (None, "symbols", "merged"):
            while process.poll() is None:
                alive = executors(process.pid)
                if alive and (whole is None or (work / f"{whole}.json").exists()):
                    os.kill(alive[0], signal.SIGKILL)
                    killed += 1
                    break
                time.sleep(0.1)
        assert process.stdout.read() == "done\n"
    assert process.returncode == 0
    assert killed == 3
    options = ExtractOptions(threads=1)
    extract_rules(system("gbmt"), *corpus.files(), tmp_path / "one.bin", trees=corpus.trees, options=options)
    assert out.read_bytes() == (tmp_path / "one.bin").read_bytes()


@pytest.mark.long
def test_experiments_on_spark_have_the_same_tables(session: Any, tmp_path: Path) -> None:
    data = tmp_path / "data"
    write(data / "demo-de-en", DemoOptions(train=300, dev=10, test=10, compress=True))
    options = ExperimentOptions(seeds=2, aligner="ibm1", order=2, trials=50, threads=1)

    def tuner(model: Any, source: Path, target: Path, asked: Any) -> Any:
        from graphmt.experiments.tuner import Tuned

        weights = {**model.weights, "lm": model.weights["lm"] + 0.1 * asked.seed}
        return Tuned(weights, [{"iteration": 1, "bleu": 20.0}])

    results = []
    for folder, spread in (("one", None), ("spark", spark.spread_over(session))):
        results.append(
            run(
                RECIPES["segmentation"],
                data,
                tmp_path / folder,
                options,
                corpora=["demo-de-en"],
                arms=["pbmt", "tbmt"],
                tuner=tuner,
                spread=spread,
            )
        )
    assert results[0] == results[1]
    tables = [(tmp_path / folder / "segmentation.md").read_bytes() for folder in ("one", "spark")]
    assert tables[0] == tables[1]


@pytest.mark.long
@pytest.mark.parametrize("name", SYSTEMS)
def test_rule_tables_of_all_systems(name: str, session: Any, demo: Trained, tmp_path: Path) -> None:
    corpus = Corpus(demo, tmp_path, 300)
    pairs = corpus.frame(session, tmp_path / "frame").repartition(4)
    expected = extract_rules(system(name), *corpus.files(), tmp_path / "one.bin", trees=corpus.trees)
    assert spark.extract_rules(pairs, name, tmp_path / "spark.bin", parts=9) == expected
    assert (tmp_path / "spark.bin").read_bytes() == (tmp_path / "one.bin").read_bytes()


@pytest.mark.long
def test_models_trained_on_spark_are_those_of_one_machine(session: Any, demo: Trained, tmp_path: Path) -> None:
    for name, engine in (("one", None), ("spark", spark.SparkEngine(session))):
        train(
            "gbmt",
            source=demo.source,
            target=demo.target,
            alignment=demo.alignment,
            out=tmp_path / name,
            options={"lm": {"order": 3}, "extract": {"min_count": 2.0}},
            engine=engine,
        )
    for file in ("rules.bin", "lm.bin"):
        assert (tmp_path / "spark" / file).read_bytes() == (tmp_path / "one" / file).read_bytes()
    assert not (tmp_path / "spark.training").exists()
