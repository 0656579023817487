"""Re-ranking: CPU seconds and memory for a large translation memory, CPU seconds for lists of 100 candidates.

The memory has a million sentences: those of Tatoeba, each again and again with one word exchanged. The lists are those
of the Transformer for 1,000 sentences, filled up to 100 candidates by dropping a word.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

from graphmt.consensus import Candidates, NBestList, Reranker, RerankOptions, make_memory, read_lists
from graphmt.corpus import tokenised
from peers.folder import data_folder
from peers.pairs import filled, varied

SENTENCES, LISTS, CANDIDATES = 1_000_000, 1_000, 100
OPTIONS = RerankOptions(lowercase=True, score="LogProb", scale=1.0)


def train(folder: Path) -> list[tuple[str, str]]:
    return list(zip(tokenised(folder / "train.de.conllu.gz"), tokenised(folder / "train.en.gz"), strict=True))


def memory_alone(folder: Path, number: int) -> None:
    """In a process of its own, so that the peak of memory is its own."""
    pairs = list(varied(train(folder), number))
    before = resource.getrusage(resource.RUSAGE_SELF)
    memory = make_memory(pairs, OPTIONS)
    after = resource.getrusage(resource.RUSAGE_SELF)
    start = time.process_time()
    sources = list(tokenised(folder / "test.de.conllu.gz"))
    found = memory.neighbours(sources, OPTIONS.threshold)
    asked = time.process_time() - start
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    words = sum(len(source.split()) + len(target.split()) for source, target in pairs)
    print(
        json.dumps(
            {
                "pairs": memory.pairs,
                "sources": len(memory),
                "words": words,
                "cpu": cpu,
                "pairs_mb": before.ru_maxrss / 1024,
                "peak_mb": after.ru_maxrss / 1024,
                "search_sentences": len(sources),
                "search_cpu": asked,
                "neighbours": sum(map(len, found)),
            }
        )
    )


def lists(data: Path, corpus: str) -> dict[str, float]:
    folder = data / "data" / corpus
    given = [
        NBestList.of(one.number, filled(one, CANDIDATES))
        for one in islice(read_lists(data / "peers" / "transformer" / f"{corpus}.test.nbest.gz"), LISTS)
    ]
    sources = list(islice(tokenised(folder / "test.de.conllu.gz"), LISTS))
    start = time.process_time()
    memory = make_memory(train(folder), OPTIONS)
    read = time.process_time()
    found = {"memory_cpu": read - start}
    for method, features in (
        ("g-rerank", "gc"),
        ("g-rerank", "lc"),
        ("g-rerank", "gc+lc"),
        ("struct-lp", "none"),
        ("struct-lp anchored", "none"),
        ("mbr-bleu", "none"),
        ("mbr-chrf", "none"),
    ):
        anchor = 1.0 if method.endswith("anchored") else 0.0
        options = OPTIONS.replace(method=method.removesuffix(" anchored"), features=features, anchor=anchor)
        begun = time.process_time()
        candidates = Candidates(sources, given, memory, options)
        Reranker.untuned(candidates.features, options).rank(candidates)
        name = method if method != "g-rerank" else f"{method} {features}"
        found[name] = time.process_time() - begun
        print(f"{corpus}: {name:16} {found[name]:6.1f} CPU seconds for {len(given)} x {CANDIDATES}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--sentences", type=int, default=SENTENCES, help="pairs of the large memory")
    parser.add_argument("--memory-alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    tatoeba = given.data / "data" / "tatoeba-de-en"
    if given.memory_alone:
        memory_alone(tatoeba, given.sentences)
        return
    command = [
        sys.executable,
        __file__,
        "--data",
        str(given.data),
        "--sentences",
        str(given.sentences),
        "--memory-alone",
    ]
    large = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(
        f"{large['pairs']:,} pairs ({large['sources']:,} sources, {large['words']:,} words): indexed in "
        f"{large['cpu']:.1f} CPU seconds, {large['peak_mb']:.0f} MB at most (pairs: {large['pairs_mb']:.0f})"
    )
    print(
        f"{large['search_sentences']:,} sentences: {large['neighbours']:,} neighbours in {large['search_cpu']:.1f} "
        "CPU seconds",
        flush=True,
    )
    each = {corpus: lists(given.data, corpus) for corpus in ("tatoeba-de-en", "multi30k-de-en")}
    print(json.dumps({"memory": large, "lists": each}))


if __name__ == "__main__":
    main()
