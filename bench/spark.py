"""The Spark engine beside one machine: extraction, language models, cleaning and translation, with the same results.

Times are CPU seconds of all processes, because they depend little on what else runs; wall time is given beside them.
Linux only: CPU time of worker processes is read from /proc.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import graphmt
from graphmt import lm, spark
from graphmt.corpus import clean, tokenised
from graphmt.lm import LmOptions
from graphmt.rules import ExtractOptions, extract_rules
from graphmt.spark.jobs import Stages
from graphmt.spark.reading import aligned_pairs, text_lines
from graphmt.storage.files import lines
from graphmt.systems import system
from peers import moses
from peers.folder import data_folder

#: Share of words that copies of the corpus have replaced, so that they add rules of their own.
NOISE = 0.02

PARTS = ("extraction", "lm", "cleaning")


def processes() -> dict[int, tuple[int, float, str]]:
    """Parent, CPU seconds and program of every process."""
    ticks, found = os.sysconf("SC_CLK_TCK"), {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                program, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
            except OSError:
                continue
            fields = rest.split()
            found[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:13])) / ticks, program
    return found


class Watch:
    """CPU seconds of this process and all its descendants, with those that end meanwhile.

    Spark ends Python workers that are idle for a minute, and their times would be lost, so it looks every second.
    """

    def __init__(self) -> None:
        self.programs: dict[int, str] = {}
        self.before = self._now()
        self.last: dict[int, float] = {}
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _now(self) -> dict[int, float]:
        table, known = processes(), {os.getpid()}
        while more := {number for number, (parent, *_) in table.items() if parent in known} - known:
            known |= more
        self.programs.update({number: table[number][2] for number in known})
        return {number: table[number][1] for number in known}

    def _look(self) -> None:
        while not self.stop.wait(1):
            self.last.update(self._now())

    def seconds(self) -> dict[str, float]:
        """CPU seconds of the driver, of Java and of Python workers."""
        self.stop.set()
        self.thread.join()
        self.last.update(self._now())
        found = {"driver": 0.0, "java": 0.0, "workers": 0.0}
        for number, cpu in self.last.items():
            kind = "driver" if number == os.getpid() else "java" if self.programs[number] == "java" else "workers"
            found[kind] += cpu - self.before.get(number, 0.0)
        return found


def measured(work: Callable[[], object]) -> dict[str, Any]:
    wall, watch = time.perf_counter(), Watch()
    work()
    taken = watch.seconds()
    return {
        "wall": round(time.perf_counter() - wall, 1),
        "cpu": round(sum(taken.values()), 1),
        "cpu_by_process": {kind: round(cpu, 1) for kind, cpu in taken.items()},
    }


def repeated(files: dict[str, Path], times: int, folder: Path) -> dict[str, Path]:
    """The corpus several times; the words of copies are replaced here and there by new ones, on both sides."""
    if times == 1:
        return files
    chance, made = random.Random(1), {role: folder / f"large.{role}" for role in files}
    texts = {role: list(lines(path)) for role, path in files.items()}
    for role, path in made.items():
        with path.open("w", encoding="utf-8") as stream:
            for copy in range(times):
                stream.writelines(f"{noisy(line, copy, role, chance)}\n" for line in texts[role])
    return made


def tatoeba(data: Path, folder: Path) -> dict[str, Path]:
    """Tatoeba as lower-case tokens, with Moses' alignment."""
    given, files = data / "data" / "tatoeba-de-en", {}
    for role, name in (("source", "train.de.conllu.gz"), ("target", "train.en.gz")):
        files[role] = folder / f"tatoeba.{role}"
        text = "".join(f"{line}\n" for line in tokenised(given / name, lowercase=True))
        files[role].write_text(text, "utf-8")
    return {**files, "alignment": data / "peers" / "moses-tatoeba-de-en" / "aligned.gdfa.gz"}


def noisy(line: str, copy: int, role: str, chance: random.Random) -> str:
    if copy == 0 or role == "alignment":
        return line
    return " ".join(f"{word}~{copy}" if chance.random() < NOISE else word for word in line.split())


def shuffled(logs: Path) -> int:
    """Bytes that tasks wrote for other tasks, from Spark's event log."""
    total = 0
    for path in sorted(logs.rglob("*")):
        if path.is_file() and not path.name.endswith(".crc"):
            for line in path.read_text("utf-8").splitlines():
                event = json.loads(line)
                if event.get("Event") == "SparkListenerTaskEnd":
                    metrics = event.get("Task Metrics", {}).get("Shuffle Write Metrics", {})
                    total += metrics.get("Shuffle Bytes Written", 0)
    return total


def sessions(cores: list[int], folder: Path) -> Iterator[tuple[int, Any, Path]]:
    for number in cores:
        logs = folder / f"events-{number}"
        logs.mkdir()
        settings = {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": logs.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.driver.memory": "2g",
        }
        session = spark.open_session(f"local[{number}]", settings)
        session.range(2).repartition(2).count()
        yield number, session, logs
        session.stop()


def extraction(files: dict[str, Path], name: str, cores: list[int], folder: Path) -> dict[str, Any]:
    """Tables of one thread and of Spark with so many cores."""
    one = folder / "one.bin"
    paths = files["source"], files["target"], files["alignment"]
    options = ExtractOptions(threads=1)
    found: dict[str, Any] = {"system": name}
    found["one machine"] = measured(lambda: extract_rules(system(name), *paths, one, options=options))
    pairs = sum(1 for _ in lines(files["source"]))
    found["pairs"] = pairs
    for number, session, logs in sessions(cores, folder):
        stages = Stages(session, folder / f"work-{number}", {})
        frame = aligned_pairs(stages, *paths)
        out = folder / "spark.bin"
        work = folder / f"stages-{number}"
        figures: dict[str, Any] = measured(functools.partial(spark.extract_rules, frame, name, out, work=work))
        session.stop()
        figures["same"] = out.read_bytes() == one.read_bytes()
        figures["shuffle_bytes_a_pair"] = round(shuffled(logs) / pairs, 1)
        figures["stage_bytes_a_pair"] = {
            stage: round(sum(path.stat().st_size for path in (work / stage).iterdir()) / pairs, 1)
            for stage in ("symbols", "merged", "merged.pieces", "scored", "scored.pieces")
        }
        figures["throughput_a_core"] = round(found["one machine"]["cpu"] / figures["cpu"], 3)
        found[f"{number} cores"] = figures
        print(f"extraction, {number} cores: {figures}", flush=True)
    found["table_bytes_a_pair"] = round(one.stat().st_size / pairs, 1)
    return found


def language_model(text: Path, cores: list[int], folder: Path) -> dict[str, Any]:
    """Language models of one thread and of Spark with so many cores."""
    one, options = folder / "one.lm", LmOptions(threads=1)
    found: dict[str, Any] = {"lines": sum(1 for _ in lines(text)), "order": options.order}
    found["one machine"] = measured(lambda: lm.train([text], one, options))
    for number, session, logs in sessions(cores, folder / "lm"):
        rows = text_lines(Stages(session, folder / f"lines-{number}", {}), [text])
        out, work = folder / "spark.lm", folder / f"lm-{number}"
        figures: dict[str, Any] = measured(functools.partial(spark.estimate, rows, out, options, work=work))
        session.stop()
        figures["same"] = out.read_bytes() == one.read_bytes()
        figures["shuffle_bytes_a_line"] = round(shuffled(logs) / found["lines"], 1)
        figures["throughput_a_core"] = round(found["one machine"]["cpu"] / figures["cpu"], 3)
        found[f"{number} cores"] = figures
        print(f"language model, {number} cores: {figures}", flush=True)
    return found


def cleaning(files: dict[str, Path], cores: list[int], folder: Path) -> dict[str, Any]:
    """Cleaning with one process and on Spark, without writing what is kept."""
    outs = {"out_source": folder / "clean.source", "out_target": folder / "clean.target"}
    reports: list[Any] = []
    found: dict[str, Any] = {
        "one machine": measured(lambda: reports.append(clean(files["source"], files["target"], **outs)))
    }
    for number, session, logs in sessions(cores, folder / "clean"):
        stages = Stages(session, folder / f"pairs-{number}", {})
        pairs = aligned_pairs(stages, files["source"], files["target"], files["alignment"])
        kept = pairs.select("number", "source", "target")
        figures: dict[str, Any] = measured(lambda kept=kept: reports.append(spark.report(spark.clean(kept).cache())))
        session.stop()
        figures["same"] = (reports[-1].kept, reports[-1].dropped) == (reports[0].kept, reports[0].dropped)
        figures["shuffle_bytes_a_pair"] = round(shuffled(logs) / reports[0].pairs, 1)
        figures["throughput_a_core"] = round(found["one machine"]["cpu"] / figures["cpu"], 3)
        found[f"{number} cores"] = figures
        print(f"cleaning, {number} cores: {figures}", flush=True)
    return found


def translation(files: dict[str, Path], cores: list[int], folder: Path, most: int) -> dict[str, Any]:
    """Translation of the source side with one thread and on Spark."""
    model = folder / "model"
    made = graphmt.train(
        "pbmt",
        source=files["source"],
        target=files["target"],
        alignment=files["alignment"],
        out=model,
        options={"lm": LmOptions(order=3), "extract": ExtractOptions(max_source=5, max_target=5)},
    )
    texts = list(itertools.islice(itertools.cycle(lines(files["source"])), most))
    expected: list[str] = []
    found: dict[str, Any] = {"sentences": len(texts)}
    found["one machine"] = measured(lambda: expected.extend(one.text for one in made.translate(texts, threads=1)))
    for number, session, _ in sessions(cores, folder / "translation"):
        rows = session.createDataFrame(list(enumerate(texts)), "number long, text string").repartition(4 * number)
        rows = rows.cache()
        rows.count()
        output: list[str] = []

        def work(rows: Any = rows, output: list[str] = output) -> None:
            # Spark would compute the translations twice to sort them: once to choose the bounds of its partitions.
            found = spark.translate(rows, model).select("number", "text").collect()
            output.extend(row.text for row in sorted(found))

        figures: dict[str, Any] = measured(work)
        figures["same"] = output == expected
        figures["throughput_a_core"] = round(found["one machine"]["cpu"] / figures["cpu"], 3)
        found[f"{number} cores"] = figures
        print(f"translation, {number} cores: {figures}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--system", default="pbmt", help="a system without trees")
    parser.add_argument(
        "--corpus", choices=("multi30k", "tatoeba"), default="multi30k", help="the corpus to extract from"
    )
    parser.add_argument("--times", type=int, default=1, help="so many copies of it, with noise; 0: none")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what is done with the copies")
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--sentences", type=int, default=10_000, help="sentences to translate; 0: none")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("translation", "lm", "clean"):
            (folder / part).mkdir()
        known = moses.corpus(given.data, folder)
        files = {role: known[role] for role in ("source", "target", "alignment")}
        if given.times:
            small = files if given.corpus == "multi30k" else tatoeba(given.data, folder)
            large = repeated(small, given.times, folder)
            parts = given.parts
            if "extraction" in parts:
                figures["extraction"] = extraction(large, given.system, given.cores, folder)
            if "lm" in parts:
                figures["language model"] = language_model(large["target"], given.cores, folder)
            if "cleaning" in parts:
                figures["cleaning"] = cleaning(large, given.cores, folder)
        if given.sentences:
            figures["translation"] = translation(files, given.cores, folder, given.sentences)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
