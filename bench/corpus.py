"""Reading and cleaning: the core beside a plain Python reader of CoNLL-U, on the same file in one run."""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from graphmt import __version__, _core
from graphmt.corpus import clean, read_trees, tokenised
from peers.folder import data_folder


def plain_reader(path: Path) -> Iterator[tuple[list[str], list[int]]]:
    """What one would write in Python: no checks, forms and heads only."""
    forms: list[str] = []
    heads: list[int] = []
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            if line == "\n":
                yield forms, heads
                forms, heads = [], []
            elif line[0] != "#":
                columns = line.rstrip("\n").split("\t")
                forms.append(columns[1])
                heads.append(int(columns[6]))


def best_of(runs: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    folder = arguments.data / "data" / "tatoeba-de-en"
    source, target = folder / "train.de.conllu.gz", folder / "train.en.gz"
    trees = sum(len(chunk) for chunk in _core.ConlluReader(source))

    def columns() -> int:
        return sum(len(chunk.heads) for chunk in _core.ConlluReader(source))

    def projectivise() -> int:
        return sum(chunk.projectivise().changed for chunk in _core.ConlluReader(source))

    def cleaning() -> None:
        with tempfile.TemporaryDirectory() as out:
            clean(source, target, out_source=Path(out) / "s.conllu", out_target=Path(out) / "t")

    timed: dict[str, Callable[[], object]] = {
        "plain Python, forms and heads": lambda: sum(1 for _ in plain_reader(source)),
        "columns, checked": columns,
        "tokenised lines": lambda: sum(1 for _ in tokenised(source)),
        "Tree objects": lambda: sum(1 for _ in read_trees(source)),
        "read and projectivise": projectivise,
        "clean pairs, uncompressed output": cleaning,
    }
    seconds = {name: best_of(arguments.runs, work) for name, work in timed.items()}
    plain = seconds["plain Python, forms and heads"]
    print(f"{trees:,} trees of {source.name}, best of {arguments.runs} runs")
    for name, taken in seconds.items():
        print(f"{name:34} {taken:7.2f} s   {taken / plain:5.2f} of plain Python")
    figures = {name: {"seconds": round(taken, 3), "ratio": round(taken / plain, 3)} for name, taken in seconds.items()}
    print(json.dumps({"bench": "corpus", "graphmt": __version__, "trees": trees, "figures": figures}))


if __name__ == "__main__":
    main()
