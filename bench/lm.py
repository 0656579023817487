"""Language model: query speed beside the kenlm package, estimation with time and peak memory.

Query speed. Both sides score the same text with the same model on one thread; the time is CPU time, the best
of several rounds taken in turns. ``text`` is from strings to scores: cutting words, looking them up, n-grams.
``ngrams`` is what of this the n-grams of two and more words take: the same text is scored with a model of the
same words that has no n-grams for it, and the difference is taken, on both sides alike. ``ids`` is ours,
inside the core with the words' numbers known: each query by itself (as a search asks) and whole sentences
(fetching ahead). KenLM reads the ARPA file into its probing structure; sentences are joined 50 to a line, so
that the cost of a call from Python hardly counts.

Estimation runs in a process of its own, for its peak memory.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from graphmt import lm
from peers.folder import data_folder

#: CPU seconds of lmplz -o 5 on the same training texts (peers/*/results.md, a machine of two cores).
LMPLZ_CPU_S = {"multi30k-de-en": 1.8, "tatoeba-de-en": 3.1, "ted-zh-en": 3.4}

CORPORA = ("multi30k-de-en", "tatoeba-de-en", "ted-zh-en", "3am-zh-en")
JOINED = 50


def sentences(data: Path, corpus: str, part: str = "train") -> list[str]:
    with gzip.open(data / "data" / corpus / f"{part}.en.gz", "rt", encoding="utf-8", newline="\n") as stream:
        # The three reserved words do not occur in these texts except as markup.
        return [line.rstrip("\n").replace("<", "&lt;").replace(">", "&gt;") for line in stream]


def many_words(data: Path, wanted: int) -> Iterator[str]:
    """All corpora, then the same again with the second half of each sentence taken from another."""
    lines = [line for corpus in CORPORA for line in sentences(data, corpus)]
    words, shift = 0, 0
    while True:
        for index, line in enumerate(lines):
            if shift:
                first, other = line.split(), lines[(index + shift) % len(lines)].split()
                line = " ".join(first[: len(first) // 2] + other[len(other) // 2 :])
            words += line.count(" ") + 1
            yield line
            if words >= wanted:
                return
        shift += 7919


def best(*works: Callable[[], object], rounds: int = 7) -> list[float]:
    """CPU seconds of each piece of work: the best of several rounds, taken in turns."""
    found = [float("inf")] * len(works)
    for _ in range(rounds):
        for index, work in enumerate(works):
            start = time.process_time()
            work()
            found[index] = min(found[index], time.process_time() - start)
    return found


def only_unigrams(arpa: Path, out: Path) -> None:
    """A model with the same words and one bigram that no text has."""
    with arpa.open(encoding="utf-8") as stream, out.open("w", encoding="utf-8") as target:
        lines = iter(stream)
        unigrams = next(line for line in lines if line.startswith("ngram 1="))
        target.write(f"\\data\\\n{unigrams}ngram 2=1\n\n")
        for line in lines:
            if line.startswith("\\1-grams"):
                target.write(line)
                break
        for line in lines:
            if line.startswith("\\2-grams"):
                break
            fields = line.rstrip("\n").split("\t")
            target.write(line if len(fields) < 3 else f"{fields[0]}\t{fields[1]}\t0\n")
        target.write("\\2-grams:\n-1\t</s> <s>\n\n\\end\\\n")


def queries(folder: Path, text: list[str], name: str) -> dict[str, float]:
    arpa, empty = folder / "model.arpa", folder / "empty.arpa"
    only_unigrams(arpa, empty)
    lm.build(arpa, folder / "model.lm")
    lm.build(empty, folder / "empty.lm")
    ours, ours_empty = lm.load(folder / "model.lm"), lm.load(folder / "empty.lm")
    joined = [" ".join(text[i : i + JOINED]) for i in range(0, len(text), JOINED)]
    words = sum(len(line.split()) + 1 for line in joined)
    core = ours._core
    works: list[Callable[[], object]] = [
        lambda: ours.score_lines(joined, 1),
        lambda: ours_empty.score_lines(joined, 1),
        lambda: core.measure(text, 0, False),
        lambda: core.measure(text, 1, False),
        lambda: core.measure(text, 1, True),
    ]
    try:
        import kenlm
    except ImportError:
        kenlm = None
        print("kenlm is not installed: no comparison")
    if kenlm:
        theirs, theirs_empty = kenlm.Model(str(arpa)), kenlm.Model(str(empty))
        works += [
            lambda: [theirs.score(line) for line in joined],
            lambda: [theirs_empty.score(line) for line in joined],
        ]
        difference = max(abs(theirs.score(a) - b) for a, b in zip(text, ours.score_lines(text), strict=True))
        assert difference < 1e-3, difference
    seconds = best(*works)
    tokens = sum(len(line.split()) + 1 for line in text)
    out = {
        "text_ns": seconds[0] / words * 1e9,
        "ngrams_ns": (seconds[0] - seconds[1]) / words * 1e9,
        "ids_single_ns": (seconds[3] - seconds[2]) / tokens * 1e9,
        "ids_sentence_ns": (seconds[4] - seconds[2]) / tokens * 1e9,
    }
    if kenlm:
        out["kenlm_text_ns"] = seconds[5] / words * 1e9
        out["kenlm_ngrams_ns"] = (seconds[5] - seconds[6]) / words * 1e9
        out["text_ratio"] = seconds[5] / seconds[0]
        out["ngrams_ratio"] = (seconds[5] - seconds[6]) / (seconds[0] - seconds[1])
    print(f"{name}: " + ", ".join(f"{key} {value:.3g}" for key, value in out.items()))
    return out


def estimation(text: Path, out: Path, memory: int) -> dict[str, float]:
    """Wall and CPU seconds and peak memory of training in a process of its own."""
    code = (
        "import sys, resource, time; from graphmt import lm; start = time.perf_counter();"
        "made = lm.train(sys.argv[1], sys.argv[2], lm.LmOptions(max_memory=int(sys.argv[3])));"
        "wall = time.perf_counter() - start; used = resource.getrusage(resource.RUSAGE_SELF);"
        "print(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, made.spilled / 2**20,"
        " made.tokens, sum(made.ngrams))"
    )
    command = [sys.executable, "-c", code, str(text), str(out), str(memory)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    names = ("wall_s", "cpu_s", "peak_mib", "spilled_mib", "words", "ngrams")
    found = dict(zip(names, map(float, run.stdout.split()), strict=True))
    found["file_mb"] = out.stat().st_size / 1e6
    print(f"{text.name} to {out.suffix}, {memory} MiB: " + ", ".join(f"{k} {v:.4g}" for k, v in found.items()))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--words", type=int, default=10_000_000, help="words of the large estimation")
    options = parser.parse_args()
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for corpus, peer in LMPLZ_CPU_S.items():
            lines = sentences(options.data, corpus)
            (folder / corpus).write_text("\n".join(lines) + "\n", encoding="utf-8")
            found = estimation(folder / corpus, folder / f"{corpus}.arpa", 1024)
            found["lmplz_cpu_ratio"] = peer / found["cpu_s"]
            print(f"  lmplz took {peer} CPU s, {found['lmplz_cpu_ratio']:.1f} times as much")
            figures[f"{corpus}_estimation"] = found
        small = sentences(options.data, CORPORA[0])
        (folder / f"{CORPORA[0]}.arpa").rename(folder / "model.arpa")
        figures["multi30k_binary"] = estimation(folder / CORPORA[0], folder / "small.lm", 1024)
        start = time.perf_counter()
        model = lm.load(folder / "small.lm")
        figures["open_ms"] = (time.perf_counter() - start) * 1e3
        print(f"opening {model.size / 1e6:.1f} MB: {figures['open_ms']:.2f} ms")
        figures["query_train"] = queries(folder, small, "query, 29,000 training sentences")
        test = sentences(options.data, CORPORA[0], "test")
        figures["query_test"] = queries(folder, test * 10, "query, 1,000 test sentences ten times")
        with (folder / "large").open("w", encoding="utf-8") as stream:
            stream.writelines(line + "\n" for line in many_words(options.data, options.words))
        for memory, suffix in ((1024, ".lm"), (1024, ".arpa"), (128, ".lm")):
            key = f"large_{memory}{suffix.replace('.', '_')}"
            figures[key] = estimation(folder / "large", folder / f"large{suffix}", memory)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["bench_peak_mib"] = peak
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
