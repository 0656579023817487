"""Opening a model: the time until it can translate, and what comparing its files with their checksums costs.

A file of up to 512 MiB is read whole when it is opened. The figures tell how long that takes, with the file in the
system's cache; larger files are read block by block as they are used, so opening one costs less than the largest here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from graphmt import lm
from graphmt.model import load
from graphmt.rules import RuleTable
from graphmt.training import train
from peers.folder import data_folder

ROUNDS = 15


def trained(data: Path, folder: Path) -> Path:
    """A phrase-based model of Multi30k."""
    corpus = data / "data" / "multi30k-de-en"
    alignment = data / "peers" / "moses-multi30k-de-en" / "aligned.gdfa.gz"
    train(
        "pbmt",
        source=corpus / "train.de.conllu.gz",
        target=corpus / "train.en.gz",
        alignment=alignment if alignment.exists() else None,
        out=folder / "pbmt",
    )
    return folder / "pbmt"


def measured(work: Callable[[], object]) -> dict[str, float]:
    """Milliseconds of wall time and of all threads' processor time: the median of some rounds."""
    rows = []
    for _ in range(ROUNDS):
        began, busy = time.perf_counter(), time.process_time()
        work()
        rows.append((time.perf_counter() - began, time.process_time() - busy))
    return {
        name: round(1000 * statistics.median(column), 3)
        for name, column in zip(("ms", "cpu_ms"), zip(*rows, strict=True), strict=True)
    }


def figures(model: Path) -> dict[str, object]:
    """What it takes to open a model and its two large files, and the speed of their checksums."""
    found: dict[str, object] = {"model": measured(lambda: load(model))}
    openers = {"rules.bin": RuleTable, "lm.bin": lm.load}
    for name, opener in openers.items():
        size = (model / name).stat().st_size
        opened = measured(lambda: opener(model / name))  # noqa: B023
        verified = measured(opener(model / name).verify)
        found[name] = {
            "mib": round(size / 2**20, 1),
            "open": opened,
            "verify": verified,
            "cpu_seconds_per_gib": round(verified["cpu_ms"] / 1000 / size * 2**30, 3),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=data_folder, default=Path("../shared"))
    parser.add_argument("--model", type=Path, help="a model folder to open; none: one is trained on Multi30k")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphmt-bench-") as folder:
        model = options.model or trained(options.data, Path(folder))
        found = figures(model)
    for name, one in found.items():
        print(name, one)
    print(json.dumps({"benchmark": "opening", **found}))


if __name__ == "__main__":
    main()
