"""CPU seconds of the best system without a neural part: hpb with lexical selection, re-ranked with its training pairs.

The commands are those that a user would run, each in a process of its own; their CPU time includes all threads.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from peers.folder import data_folder
from peers.processes import run

#: Candidates of a sentence that are re-ranked.
N_BEST = 100


def costs(*arguments: object) -> dict[str, float]:
    """CPU and wall seconds, and the memory peak in MB, of a command of graphmt."""
    used = run([sys.executable, "-m", "graphmt", "--quiet", *arguments])
    return {"cpu": round(used.cpu, 1), "wall": round(used.wall, 1), "memory_mb": round(used.peak / 1e6)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--corpus", default="multi30k-de-en")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    corpus = given.data / "data" / given.corpus
    source, target = given.corpus.split("-")[-2:]

    def side(part: str, language: str) -> Path:
        return corpus / (f"{part}.{source}.conllu.gz" if language == source else f"{part}.{target}.gz")

    train, dev, test = ((side(part, source), side(part, target)) for part in ("train", "dev", "test"))
    threads = ("--threads", given.threads)
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        model, lists = Path(name) / "model", {part: Path(name) / f"{part}.nbest" for part in ("dev", "test")}
        files = ("--source", train[0], "--target", train[1])
        found["train"] = costs("train", model, *files, "--with", "lrsm,dwl", "--languages", source, target, *threads)
        found["tune"] = costs("tune", model, "--source", dev[0], "--target", dev[1], *threads)
        found["translate test"] = costs("translate", model, test[0], "-o", Path(name) / "out", *threads)
        n_best = ("--n-best", N_BEST, "--distinct", *threads)
        for part, path in (("dev", dev[0]), ("test", test[0])):
            found[f"lists of {part}"] = costs("translate", model, path, "-o", lists[part], *n_best)
        memory = ("--memory", train[0], "--memory-target", train[1])
        tuned = ("--dev", lists["dev"], dev[0], "--dev-target", dev[1])
        out = ("-o", Path(name) / "best", *threads)
        found["re-rank"] = costs("rerank", lists["test"], "--source", test[0], *memory, *tuned, *out)
    for step, figures in found.items():
        print(f"{step:15} {figures['cpu']:8.1f} CPU s {figures['wall']:8.1f} s {figures['memory_mb']:8,.0f} MB")
    print(json.dumps({"corpus": given.corpus, "threads": given.threads, **found}))


if __name__ == "__main__":
    main()
