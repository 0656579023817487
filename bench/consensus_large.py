"""Consensus re-ranking of unusual inputs: many equal sources, and very long lists. CPU seconds and peak memory.

Each case runs in a process of its own, so that its peak of memory is its own. The texts are random words; no data are
read.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time

from graphmt.consensus import Candidates, NBestList, Reranker, RerankOptions, make_memory
from peers.folder import data_folder

SOURCE = "das ist gut heute ."
WORDS = [f"w{k}" for k in range(300)]


def texts(number: int, chance: random.Random) -> list[str]:
    return [" ".join(chance.choices(WORDS, k=10)) for _ in range(number)]


def equal_sources(number: int, size: int, *, equal_lists: bool) -> list[NBestList]:
    chance = random.Random(1)
    same = texts(size, chance)
    return [
        NBestList.of(k, [(text, -float(j)) for j, text in enumerate(same if equal_lists else texts(size, chance))])
        for k in range(number)
    ]


def long_lists(number: int, size: int) -> list[NBestList]:
    chance = random.Random(1)
    return [NBestList.of(k, [(text, -0.01 * j) for j, text in enumerate(texts(size, chance))]) for k in range(number)]


CASES = {
    "1,000 equal sources, equal lists of 100, gc": (lambda: equal_sources(1000, 100, equal_lists=True), "gc"),
    "4,000 equal sources, equal lists of 100, gc": (lambda: equal_sources(4000, 100, equal_lists=True), "gc"),
    "4,000 equal sources, equal lists of 100, lc": (lambda: equal_sources(4000, 100, equal_lists=True), "lc"),
    "1,000 equal sources, different lists of 10, gc": (lambda: equal_sources(1000, 10, equal_lists=False), "gc"),
    "2 lists of 16,000, gc": (lambda: long_lists(2, 16_000), "gc"),
    "2 lists of 16,000, lc": (lambda: long_lists(2, 16_000), "lc"),
    "2 lists of 16,000, mbr-bleu": (lambda: long_lists(2, 16_000), "mbr-bleu"),
    "2 lists of 16,000, struct-lp": (lambda: long_lists(2, 16_000), "struct-lp"),
}


def one_case(name: str) -> None:
    make, way = CASES[name]
    options = RerankOptions(features=way) if way in ("gc", "lc") else RerankOptions(method=way)
    memory, lists = make_memory([(SOURCE, "that is good today .")]), make()
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    candidates = Candidates([SOURCE] * len(lists), lists, memory, options)
    Reranker.untuned(candidates.features, options).rank(candidates)
    cpu, peak = time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"cpu": cpu, "lists_mb": before / 1024, "peak_mb": peak / 1024}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, help="not used")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        one_case(given.case)
        return
    found = {}
    for name in CASES:
        done = subprocess.run([sys.executable, __file__, "--case", name], check=True, capture_output=True, text=True)
        found[name] = made = json.loads(done.stdout)
        print(
            f"{name:48} {made['cpu']:6.1f} CPU seconds, {made['peak_mb']:.0f} MB at most (lists: "
            f"{made['lists_mb']:.0f})",
            flush=True,
        )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
