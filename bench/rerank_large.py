"""``graphmt rerank`` with large translation memories: CPU seconds and peak memory of the whole command.

The memory has a million pairs: those of Tatoeba, each again and again with one source word exchanged. The re-ranker
uses memory, lm and lexicon. The command tunes it on the Transformer's development lists, with Tatoeba as memory, and
saves it. Then it re-ranks the Transformer's lists of 1,000 test sentences, filled up to 100 candidates by dropping a
word. ``--pairs`` can be repeated; the bytes of a pair are by difference.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from graphmt.corpus import tokenised
from graphmt.nbest import read_lists
from peers.folder import data_folder
from peers.pairs import filled, varied

CORPUS = "tatoeba-de-en"
PAIRS, LISTS, CANDIDATES = (160_074, 1_000_000), 1_000, 100


def command(*words: object, threads: int) -> dict[str, float]:
    """CPU and wall seconds and the peak memory of a ``graphmt`` command, with its other processes."""
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "graphmt", *map(str, words), "--threads", str(threads)])
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"graphmt {words[0]} failed")
    return {
        "cpu": used.ru_utime + used.ru_stime,
        "wall": time.perf_counter() - begun,
        "peak_mb": used.ru_maxrss / 1024,
    }


def write_lists(lists: Path, out: Path) -> int:
    """The first lists, filled up; returns the number of candidates."""
    number = 0
    with out.open("w", encoding="utf-8") as stream:
        for one in islice(read_lists(lists), LISTS):
            for text, values in filled(one, CANDIDATES):
                features = " ".join(f"{name}= {value:.6g}" for name, value in values.items() if name != "score")
                stream.write(f"{one.number} ||| {text} ||| {features} ||| {values['score']:.6g}\n")
                number += 1
    return number


def tuned(data: Path, folder: Path, threads: int) -> dict[str, float]:
    """Tune a re-ranker and save it in ``folder/reranker``."""
    corpus, lists = data / "data" / CORPUS, data / "peers" / "transformer" / f"{CORPUS}.dev.nbest.gz"
    source = corpus / "dev.de.conllu.gz"
    return command(
        *("rerank", lists, "--source", source, "--features", "memory,lm,lexicon", "--lowercase"),
        *("--memory", corpus / "train.de.conllu.gz", "--memory-target", corpus / "train.en.gz"),
        *("--alignment", data / "peers" / f"moses-{CORPUS}" / "aligned.gdfa.gz"),
        *("--dev", lists, source, "--dev-target", corpus / "dev.en.gz"),
        *("--save", folder / "reranker", "--out", os.devnull),
        threads=threads,
    )


def measure(data: Path, folder: Path, pairs: int, threads: int) -> dict[str, float]:
    corpus, memory, source = data / "data" / CORPUS, folder / "memory.tsv", folder / "source"
    sides = (tokenised(corpus / file, lowercase=True) for file in ("train.de.conllu.gz", "train.en.gz"))
    words = 0
    with memory.open("w", encoding="utf-8") as stream:
        for pair in varied(list(zip(*sides, strict=True)), pairs):
            words += sum(len(side.split()) for side in pair)
            stream.write("\t".join(pair) + "\n")
    with source.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in islice(tokenised(corpus / "test.de.conllu.gz"), LISTS))
    candidates = write_lists(data / "peers" / "transformer" / f"{CORPUS}.test.nbest.gz", folder / "lists")
    found = command(
        *("rerank", folder / "lists", "--source", source, "--memory", memory, "--no-header"),
        *("--weights", folder / "reranker", "--out", folder / "best"),
        threads=threads,
    )
    print(
        f"{pairs:,} pairs, {words:,} words, {LISTS:,} sentences, {candidates:,} candidates: {found['cpu']:.1f} CPU "
        f"seconds, {found['peak_mb']:.0f} MB at most",
        flush=True,
    )
    return {"pairs": pairs, "words": words, "candidates": candidates, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--pairs", type=int, action="append", help="pairs of the memory; repeat for several")
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tuning = tuned(given.data, Path(folder), given.threads)
        print(f"tuning on dev: {tuning['cpu']:.1f} CPU seconds, {tuning['peak_mb']:.0f} MB at most", flush=True)
        runs = [measure(given.data, Path(folder), pairs, given.threads) for pairs in given.pairs or PAIRS]
    answer: dict[str, object] = {"tuning": tuning, "runs": runs}
    runs.sort(key=lambda run: run["pairs"])
    if runs[0]["pairs"] < runs[-1]["pairs"]:
        more = (runs[-1]["peak_mb"] - runs[0]["peak_mb"]) * 2**20
        answer["bytes_per_pair"] = each = more / (runs[-1]["pairs"] - runs[0]["pairs"])
        print(f"{each:.0f} bytes for each further pair", flush=True)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
