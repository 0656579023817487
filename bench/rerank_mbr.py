"""MBR of graphmt and of the package mbrs over a Transformer's lists: BLEU, CPU seconds, and how often they agree.

``--mbrs-python`` is the Python of an environment with mbrs, which needs PyTorch; without it, only graphmt is measured.
Both weigh the candidates by their
posterior (scale 1), and use sentence BLEU with their own smoothing, or chrF. ``exponential`` is BLEU with the smoothing
of mbrs, in plain Python. mbrs is slow, so only the first sentences are decided by it; BLEU is that of the same
sentences.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path

from graphmt.consensus import Candidates, RerankOptions
from graphmt.consensus.reranker import direct
from peers.exponential_mbr import chosen
from peers.folder import data_folder
from peers.reranked import Part

CORPORA = ("tatoeba-de-en", "multi30k-de-en")
METRICS = ("bleu", "chrf")


def own(part: Part, metric: str) -> tuple[list[str], float]:
    options = RerankOptions(method=f"mbr-{metric}", score="LogProb", scale=1.0, threads=1)
    begun = time.process_time()
    candidates = Candidates(part.sources, part.lists, None, options)
    chosen = candidates.best(direct(candidates, candidates.posterior(candidates.scores, 1.0), options))
    return chosen, time.process_time() - begun


def other(part: Part, metric: str, python: Path) -> tuple[list[str], float]:
    scores = [one.values[:, one.features.index("LogProb")].tolist() for one in part.lists]
    asked = {"candidates": [one.texts for one in part.lists], "log_probabilities": scores, "metric": metric}
    job = Path(__file__).parent / "peers" / "mbrs_job.py"
    done = subprocess.run([python, job], input=json.dumps(asked), stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return [one.texts[k] for one, k in zip(part.lists, found["chosen"], strict=True)], found["cpu"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--mbrs-python", type=Path, help="Python of an environment with mbrs")
    parser.add_argument("--corpus", choices=CORPORA, action="append", help="only this one; repeat for several")
    parser.add_argument("--sentences", type=int, default=200)
    given = parser.parse_args()
    answer: dict[str, object] = {}
    for name in given.corpus or CORPORA:
        folder = given.data / "data" / name
        lists = given.data / "peers" / "transformer" / f"{name}.test.nbest.gz"
        whole = Part.read(folder / "test.de.conllu.gz", folder / "test.en.gz", lists)
        part = whole.chosen(range(min(given.sentences, len(whole))))
        found: dict[str, object] = {"sentences": len(part), "own best": part.bleu(part.own_best)}
        for metric in METRICS:
            ours, cpu = own(part, metric)
            made = {"graphmt": {"bleu": part.bleu(ours), "cpu": cpu}}
            if metric == "bleu":
                begun = time.process_time()
                smoothed = [chosen(one, "LogProb") for one in part.lists]
                same = sum(a == b for a, b in zip(ours, smoothed, strict=True)) / len(part)
                cpu = time.process_time() - begun
                made["exponential"] = {"bleu": part.bleu(smoothed), "cpu": cpu, "same": same}
            if given.mbrs_python:
                theirs, cpu = other(part, metric, given.mbrs_python)
                same = sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(part)
                made["mbrs"] = {"bleu": part.bleu(theirs), "cpu": cpu, "same": same}
            for who, row in made.items():
                told = f"; same choice as graphmt: {row['same']:.0%}" if "same" in row else ""
                print(
                    f"{name}, {len(part)} sentences, MBR by {metric}: {who} BLEU {row['bleu']:.2f} in {row['cpu']:.2f} "
                    f"CPU seconds{told}",
                    flush=True,
                )
            found[metric] = made
        answer[name] = found
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
