"""Training the reordering model of BTG: time, memory, and how well it tells the order of held-out blocks.

With --sweep, the options that change the model are compared on part of each corpus, by the log-likelihood of
examples from other pairs of it, which are taken in three ways so that no setting is measured by its own choice alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from graphmt.corpus import tokenised
from graphmt.reorder import ReorderingModel, ReorderOptions, train_reordering
from peers.folder import data_folder

CORPORA = ("multi30k-de-en", "tatoeba-de-en")
#: Pairs trained on and pairs measured on in a sweep.
SHARE = (4000, 1500)
VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"conjunctions": False},
    {"blocks": "smallest"},
    {"blocks": "largest", "max_length": 100},
    {"max_length": 10},
    {"variance": 0.1},
    {"variance": 10.0},
    {"minimum_count": 1},
    {"minimum_count": 2},
    {"tolerance": 1e-4},
)
MEASURED_ON = {
    "all, 10 words": ReorderOptions(blocks="all", max_length=10),
    "smallest": ReorderOptions(blocks="smallest", max_length=10),
    "largest": ReorderOptions(blocks="largest", max_length=100),
}


def corpus(data: Path, name: str) -> list[tuple[str, str, str]]:
    """Lower-case pairs with the alignment that Moses was trained on."""
    folder = data / "data" / name
    source = tokenised(folder / "train.de.conllu.gz", lowercase=True)
    target = tokenised(folder / "train.en.gz", lowercase=True)
    with gzip.open(data / "peers" / f"moses-{name}" / "aligned.gdfa.gz", "rt") as links:
        return list(zip(source, target, (line.strip() for line in links), strict=True))


def written(pairs: list[tuple[str, str, str]], folder: Path) -> tuple[Path, Path, Path]:
    folder.mkdir()
    paths = folder / "source", folder / "target", folder / "alignment"
    for path, lines in zip(paths, zip(*pairs, strict=True), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return paths


def trained(name: str, pairs: list[tuple[str, str, str]], folder: Path, options: ReorderOptions) -> dict[str, Any]:
    files = written(pairs, folder)
    wall, cpu = time.perf_counter(), time.process_time()
    report = train_reordering(*files, folder / "reorder.bin", options)
    seconds = round(time.perf_counter() - wall, 1), round(time.process_time() - cpu, 1)
    row = {
        "data": name,
        "conjunctions": options.conjunctions,
        "examples": report.examples,
        "kept": report.training.examples,
        "inverted": round(report.training.inverted / report.training.examples, 4),
        "features": report.features,
        "iterations": report.iterations,
        "wall_seconds": seconds[0],
        "cpu_seconds": seconds[1],
        "file_mb": round(ReorderingModel(folder / "reorder.bin").about["bytes"] / 1e6, 1),
        "peak_mb_so_far": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "training": [round(report.training.log_likelihood, 5), round(report.training.accuracy, 4)],
        "held_out": [round(report.held_out.log_likelihood, 5), round(report.held_out.accuracy, 4)],
        "held_out_always_straight": round(report.held_out.straight / report.held_out.examples, 4),
    }
    print(row, flush=True)
    return row


def swept(name: str, pairs: list[tuple[str, str, str]], folder: Path, threads: int) -> list[dict[str, Any]]:
    folder.mkdir()
    random.Random(1).shuffle(pairs)
    files = written(pairs[: SHARE[0]], folder / "train")
    others = written(pairs[SHARE[0] : sum(SHARE)], folder / "held-out")
    rows = []
    for variant in VARIANTS:
        options = ReorderOptions(held_out=0, threads=threads).replace(**variant)
        cpu = time.process_time()
        report = train_reordering(*files, folder / "reorder.bin", options)
        row: dict[str, Any] = {"data": name, "options": variant, "cpu_seconds": round(time.process_time() - cpu, 1)}
        row |= {"examples": report.examples, "features": report.features, "iterations": report.iterations}
        model = ReorderingModel(folder / "reorder.bin")
        for way, taken in MEASURED_ON.items():
            scores = model.evaluate(*others, taken)
            row[way] = [round(scores.log_likelihood, 5), round(scores.accuracy, 4)]
        print(row, flush=True)
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="the folder that holds data/ and peers/")
    parser.add_argument(
        "--sweep", action="store_true", help="compare options on part of the corpora, by held-out pairs"
    )
    parser.add_argument("--corpus", action="append", choices=CORPORA, help="only this one; again for more")
    parser.add_argument("--threads", type=int, default=0, help="0: as many as there are cores")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="graphmt-reorder-") as temporary:
        for name in arguments.corpus or CORPORA:
            pairs = corpus(arguments.data, name)
            if arguments.sweep:
                rows += swept(name, pairs, Path(temporary, name), arguments.threads)
                continue
            # Without conjunctions first: the peak of memory is that of the process so far.
            for conjunctions in (False, True):
                options = ReorderOptions(conjunctions=conjunctions, threads=arguments.threads)
                rows.append(trained(name, pairs, Path(temporary, f"{name}-{conjunctions}"), options))
    print(json.dumps({"bench": "reorder", "rows": rows}))


if __name__ == "__main__":
    main()
