"""What a second thread gains: wall seconds of decoding and of tuning with one thread and with two, in turns.

German to English, models trained here. The machine must have two idle cores; the ratio of a round is that of two
measurements next to each other, and the figure is the median of the rounds. Beside it stand the part that CPU seconds
grow by, and what the machine gives at best: how much two processes of one thread each do together, which share cores,
caches and memory but nothing of ours.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import multiprocessing
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from graphmt.corpus import read_trees
from graphmt.model import Model
from graphmt.tune import TuneOptions, tune_model
from peers.trained import models_parser, trained

#: Processes start afresh: a copy of this one would have its threads' locks, but not the threads.
PROCESSES = multiprocessing.get_context("spawn")


@dataclasses.dataclass(frozen=True)
class Task:
    """Decoding of the test set, or tuning on the development set."""

    name: str
    model: Path
    data: Path
    iterations: int

    def prepared(self) -> Callable[..., object]:
        """The task as a function of the number of threads; what a model keeps between sentences is in memory."""
        if self.name == "tuning":
            return self.tune
        model = Model(self.model)
        decode = functools.partial(model.translate, list(read_trees(self.data / "test.de.conllu.gz")))
        decode(threads=1)
        return decode

    def tune(self, *, threads: int) -> None:
        """Tunes from the beginning."""
        with tempfile.TemporaryDirectory() as folder:
            options = TuneOptions(threads=threads, iterations=self.iterations, least_new=0.0)
            dev = self.data / "dev.de.conllu.gz", self.data / "dev.en.gz"
            tune_model(self.model, *dev, options, out=Path(folder) / "weights.toml")


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def beside_another(task: Task, both_ready: threading.Barrier) -> float:
    """Wall seconds with one thread, from the moment when another process is ready to do the same."""
    work = task.prepared()
    both_ready.wait()
    return measured(lambda: work(threads=1))[0]


def two_processes(task: Task) -> float:
    """Wall seconds of two processes at the same time, their mean."""
    with PROCESSES.Manager() as manager, PROCESSES.Pool(2) as pool:
        job = task, manager.Barrier(2)
        return statistics.mean(pool.starmap(beside_another, [job, job], chunksize=1))


def in_turns(task: Task, rounds: int) -> dict[str, float]:
    """With one thread, with two, and with two processes, round by round."""
    work = task.prepared()
    found = []
    for _ in range(rounds):
        one, two = measured(lambda: work(threads=1)), measured(lambda: work(threads=2))
        found.append((one, two, two_processes(task)))
    return {
        "one": round(statistics.median(one[0] for one, _, _ in found), 2),
        "two": round(statistics.median(two[0] for _, two, _ in found), 2),
        "ratio": round(statistics.median(one[0] / two[0] for one, two, _ in found), 2),
        "cpu": round(statistics.median(two[1] / one[1] for one, two, _ in found), 2),
        "two processes": round(statistics.median(2 * one[0] / both for one, _, both in found), 2),
    }


def main() -> None:
    parser = models_parser(__doc__, systems=["pbmt", "hpb"], rounds=3)
    parser.add_argument("--iterations", type=int, default=2, help="of tuning")
    given = parser.parse_args()
    data = given.data / "data" / given.corpus
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for system in given.systems:
            model = trained(system, data, given.models or Path(scratch))
            for name in ("decoding", "tuning"):
                own = in_turns(Task(name, model, data, given.iterations), given.rounds)
                print(f"{system}, {name}: {own}", flush=True)
                figures[f"{system}, {name}"] = own
    print(json.dumps({"bench": "threads", "corpus": given.corpus, **figures}))


if __name__ == "__main__":
    main()
