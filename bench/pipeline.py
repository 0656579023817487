"""CPU seconds from parallel text to a tuned model: word alignment, training, tuning, each in a process of its own.

All stages with default options. The seconds include those of the processes that a stage starts.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from pathlib import Path
from typing import Any

from peers import jobs
from peers.folder import data_folder

SYSTEMS = ("pbmt", "hpb")


def align(data: Path, folder: Path) -> dict[str, Any]:
    """Word alignment of lower-cased text."""
    from graphmt.align import AlignOptions
    from graphmt.align.step import Outputs, align_files
    from graphmt.corpus import tokenised

    sides = folder / "source", folder / "target"
    for path, given in zip(sides, (data / "train.de.conllu.gz", data / "train.en.gz"), strict=True):
        path.write_text("".join(f"{line}\n" for line in tokenised(given, lowercase=True)), "utf-8")
    align_files(*sides, Outputs(folder / "links"), AlignOptions())
    return used()


def train(data: Path, folder: Path, name: str) -> dict[str, Any]:
    """Language model, rules, and the model folder."""
    from graphmt.training import train as trained

    source, target = data / "train.de.conllu.gz", data / "train.en.gz"
    made = trained(name, source=source, target=target, out=folder / name, alignment=folder / "links")
    return {**used(), "rules": made.manifest.report["rules"]}


def tune(data: Path, folder: Path, name: str) -> dict[str, Any]:
    """Weights by MIRA on the development set."""
    from graphmt.tune import tune_model

    found = tune_model(folder / name, data / "dev.de.conllu.gz", data / "dev.en.gz", out=folder / f"{name}.toml")
    return {**used(), "iterations": len(found.history), "bleu": found.bleu}


def used() -> dict[str, float]:
    """CPU seconds of this process and of those that it started."""
    whose = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"cpu": sum(one.ru_utime + one.ru_stime for one in whose)}


JOBS = {job.__name__: job for job in (align, train, tune)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--corpus", default="multi30k-de-en", help="a German-English corpus in data/")
    parser.add_argument("--systems", nargs="+", default=SYSTEMS)
    parser.add_argument("--job", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    data = given.data / "data" / given.corpus
    if given.job:
        jobs.do(JOBS, data, given.job)
        return
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:

        def measured(*job: str) -> dict[str, Any]:
            found = jobs.measured(__file__, given.data, Path(scratch), *job, corpus=given.corpus)
            print(" ".join(job), found, flush=True)
            return found

        aligned = measured("align")
        for name in given.systems:
            stages = {"align": aligned, "train": measured("train", name), "tune": measured("tune", name)}
            whole = sum(stage["cpu"] for stage in stages.values())
            figures[name] = {**stages, "cpu": whole}
            print(f"{name}: {whole:.1f} CPU seconds", flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
