"""A real cluster on this machine, some of whose executors are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import small_lists
from graphmt import spark
from graphmt.align import AlignOptions, align
from graphmt.cli.verbs import app
from graphmt.demo import DemoOptions, write
from graphmt.errors import MissingPackageError
from graphmt.experiments import RECIPES, ExperimentOptions, run
from graphmt.rules import ExtractOptions, extract_rules
from graphmt.spark.session import require_spark
from graphmt.systems import SYSTEMS, system
from graphmt.training import train
from small_models import Trained
from spark_corpus import Corpus

#: Opens a cluster of two executors.
OPENED = """
import sys
from pathlib import Path
from graphmt import spark

settings = {
    "spark.executor.memory": "700m",
    "spark.sql.shuffle.partitions": "4",
    "spark.task.maxFailures": "8",
    # Give a replacement of a killed executor time to start.
    "spark.deploy.maxExecutorRetries": "-1",
}
session = spark.open_session("local-cluster[2,1,900]", settings)
print("opened", flush=True)
"""

EXTRACTION = (
    OPENED
    + """
from graphmt.rules import ExtractOptions
from graphmt.spark.jobs import Stages
from graphmt.spark.reading import aligned_pairs

source, target, alignment, trees, out, work, name = sys.argv[1:]
pairs = aligned_pairs(Stages(session, work + "/corpus", {}), source, target, alignment, trees)
spark.extract_rules(pairs.repartition(4), name, out, parts=5, work=work, options=ExtractOptions(threads=1))
print("done", flush=True)
session.stop()
"""
)

ALIGNMENT = (
    OPENED
    + """
from graphmt.align import AlignOptions
from graphmt.spark.alignment import write_links

source, target, out, work = sys.argv[1:]
write_links(session, Path(work), source, target, Path(out), AlignOptions(model="hmm", sample=80, threads=1))
print("done", flush=True)
session.stop()
"""
)


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


def run_and_kill(program: str, arguments: Sequence[object], marks: Sequence[Path | None]) -> None:
    """Run a program on a cluster and kill an executor as soon as each of these files exists (None: at once)."""
    killed = 0
    with subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "opened\n"
        for mark in marks:
            while process.poll() is None:
                alive = executors(process.pid)
                if alive and (mark is None or mark.exists()):
                    os.kill(alive[0], signal.SIGKILL)
                    killed += 1
                    break
                time.sleep(0.1)
        assert process.stdout.read().endswith("done\n")
    assert process.returncode == 0
    assert killed == len(marks)


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
    # One executor is killed in each stage: once before anything is whole, then whenever another stage is.
    marks = [None, work / "symbols.json", work / "merged.json"]
    run_and_kill(EXTRACTION, [*corpus.files(), corpus.trees, out, work, "gbmt"], marks)
    options = ExtractOptions(threads=1)
    extract_rules(system("gbmt"), *corpus.files(), tmp_path / "one.bin", trees=corpus.trees, options=options)
    assert out.read_bytes() == (tmp_path / "one.bin").read_bytes()


TRANSLATION = (
    OPENED
    + """
lines, model, out = sys.argv[1:]
rows = list(enumerate(Path(lines).read_text("utf-8").splitlines(), 1))
given = session.createDataFrame(rows, "number long, text string").repartition(3)
found = spark.translate(given, model).orderBy("number").collect()
Path(out).write_text("".join(row.text + "\\n" for row in found), "utf-8")
print("done", flush=True)
session.stop()
"""
)


#: The commands of one session, one after the other; each begins when the file of the one before it is whole.
COMMANDS = (
    OPENED
    + """
import json
from graphmt.cli.verbs import app

for words in json.loads(sys.argv[1]):
    app([*words, "--engine", "spark"], standalone_mode=False)
print("done", flush=True)
session.stop()
"""
)

#: Every word depends on the one before it; slow enough that an executor is killed while it works.
SLOW_PARSER = """
import sys, time
for line in sys.stdin:
    time.sleep(0.2)
    words = enumerate(line.split())
    print("".join(f"{n + 1}\\t{word}\\t_\\tX\\t_\\t_\\t{n}\\tdep\\t_\\t_\\n" for n, word in words), flush=True)
"""


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform != "linux", reason="finds executors in /proc")
def test_commands_give_the_same_when_executors_are_killed(demo: Trained, tmp_path: Path) -> None:
    """One executor is killed while the first command runs, and one as soon as each further command begins."""
    try:
        require_spark()
    except MissingPackageError as error:
        pytest.skip(str(error))
    corpus = Corpus(demo, tmp_path, 40)
    parser = tmp_path / "parser.py"
    parser.write_text(SLOW_PARSER, "utf-8")
    memory = small_lists.sentences(60, 1)
    for name, pairs in (("memory", memory), ("test", small_lists.sentences(10, 3))):
        small_lists.write(tmp_path, name, pairs, small_lists.lists(pairs, 4))
    source, target = str(corpus.source), str(corpus.target)
    lists = [str(tmp_path / name) for name in ("test.nbest", "test.de", "memory.de", "memory.en")]
    listed = [
        "--source",
        lists[1],
        "--memory",
        lists[2],
        "--memory-target",
        lists[3],
        "--features",
        "gc+lc",
        "--chunk",
        "2",
    ]

    def commands(folder: Path) -> list[list[str]]:
        folder.mkdir()
        out = [str(folder / str(place)) for place in range(7)]
        return [
            ["corpus", "parse", source, out[0], "--parser", f"command:{sys.executable} {parser}", "--tokenised"],
            ["corpus", "tokenise", source, out[1], "--language", "de", "--case", "true"],
            ["corpus", "clean", source, target, "--out-source", out[2], "--out-target", out[3]],
            ["lm", "train", target, "--out", out[4], "--order", "3", "--discount-fallback"],
            ["translate", str(demo.models["pbmt"]), source, "--out", out[5]],
            ["rerank", lists[0], *listed, "--out", out[6]],
        ]

    ended = [tmp_path / "spark" / str(place) for place in (0, 1, 3, 4, 5)]
    run_and_kill(COMMANDS, [json.dumps(commands(tmp_path / "spark"))], [None, *ended])
    for words in commands(tmp_path / "one"):
        app(words, standalone_mode=False)
    for path in sorted((tmp_path / "one").iterdir()):
        assert (tmp_path / "spark" / path.name).read_bytes() == path.read_bytes(), path.name
    assert len(list((tmp_path / "one").iterdir())) == 7


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_model_is_sent_to_a_cluster(demo: Trained, tmp_path: Path) -> None:
    try:
        require_spark()
    except MissingPackageError as error:
        pytest.skip(str(error))
    texts = [" ".join(tree.forms) for tree in demo.trees()][:6]
    (tmp_path / "lines").write_text("".join(text + "\n" for text in texts), "utf-8")
    run_and_kill(TRANSLATION, [tmp_path / "lines", demo.models["pbmt"], tmp_path / "out"], [])
    expected = [one.text for one in demo.load("pbmt").translate(texts)]
    assert (tmp_path / "out").read_text("utf-8").splitlines() == expected


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform != "linux", reason="finds executors in /proc")
def test_links_are_the_same_when_executors_are_killed(demo: Trained, tmp_path: Path) -> None:
    try:
        require_spark()
    except MissingPackageError as error:
        pytest.skip(str(error))
    corpus = Corpus(demo, tmp_path, 200)
    work = tmp_path / "work"
    arguments = [corpus.source, corpus.target, tmp_path / "spark.align", work]
    run_and_kill(ALIGNMENT, arguments, [None, work / "model" / "aligner" / "aligner.json"])
    options = AlignOptions(model="hmm", sample=80, threads=1)
    sides = (path.read_text("utf-8").splitlines() for path in (corpus.source, corpus.target))
    assert (tmp_path / "spark.align").read_text("utf-8") == align(*sides, options).alignment.text()


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
    # The result names the files of its outputs.
    one, other = (
        json.dumps(result).replace(f"/{name}/", "/") for result, name in zip(results, ("one", "spark"), strict=True)
    )
    assert one == other
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
