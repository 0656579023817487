"""What a second thread gains: wall seconds of decoding and of tuning with one thread and with two, in turns.

German to English, models trained here. The machine must have two idle cores; the ratio of a round is that of two
measurements next to each other, and the figure is the median of the rounds. Beside it stands the part that CPU seconds
grow by, which is not the scheduler's fault.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from graphmt.corpus import read_trees
from graphmt.model import Model
from graphmt.tune import TuneOptions, tune_model
from peers.folder import data_folder
from peers.trained import trained


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def in_turns(work: Callable[..., object], rounds: int) -> dict[str, float]:
    """With one thread and with two, round by round."""
    pairs = [(measured(lambda: work(threads=1)), measured(lambda: work(threads=2))) for _ in range(rounds)]
    return {
        "one": round(statistics.median(one[0] for one, _ in pairs), 2),
        "two": round(statistics.median(two[0] for _, two in pairs), 2),
        "ratio": round(statistics.median(one[0] / two[0] for one, two in pairs), 2),
        "cpu": round(statistics.median(two[1] / one[1] for one, two in pairs), 2),
    }


def tuned(model: Path, dev: tuple[Path, Path], *, iterations: int, threads: int) -> None:
    """Tunes from the beginning."""
    with tempfile.TemporaryDirectory() as folder:
        options = TuneOptions(threads=threads, iterations=iterations, least_new=0.0)
        tune_model(model, *dev, options, out=Path(folder) / "weights.toml")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--corpus", default="multi30k-de-en")
    parser.add_argument("--models", type=Path, help="folder of trained models, to be used again")
    parser.add_argument("--systems", nargs="+", default=["pbmt", "hpb"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=2, help="of tuning")
    given = parser.parse_args()
    data = given.data / "data" / given.corpus
    sentences = list(read_trees(data / "test.de.conllu.gz"))
    dev = data / "dev.de.conllu.gz", data / "dev.en.gz"
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in given.systems:
            path = trained(name, data, given.models or folder)
            model = Model(path)
            decode = functools.partial(model.translate, sentences)
            tune = functools.partial(tuned, path, dev, iterations=given.iterations)
            for work, what in (("decoding", decode), ("tuning", tune)):
                figures[f"{name}, {work}"] = in_turns(what, given.rounds)
                print(f"{name}, {work}: {figures[f'{name}, {work}']}", flush=True)
    print(json.dumps({"bench": "threads", "corpus": given.corpus, **figures}))


if __name__ == "__main__":
    main()
