"""What tuning can leave out without loss: CPU seconds, and BLEU on sentences of dev that were not tuned on.

German to English. Each half of dev is translated with weights tuned on the other half by MIRA, with every seed. The
arms leave out half of the pops while tuning, iterations that bring hardly any new hypotheses, or both. p compares an
arm with the first over all runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from graphmt.corpus import read_trees
from graphmt.evaluate import Compared, EvaluateOptions, Output, compare
from graphmt.experiments.halves import interleave, split
from graphmt.model import Model
from graphmt.storage.files import lines
from graphmt.training import train
from graphmt.tune import TuneOptions, tune_model
from peers.folder import data_folder

ARMS = {
    "nothing": TuneOptions(pop_share=1.0, least_new=0.0),
    "pops": TuneOptions(pop_share=0.5, least_new=0.0),
    "iterations": TuneOptions(pop_share=1.0, least_new=0.01),
    "both": TuneOptions(pop_share=0.5, least_new=0.01),
}


def tuned_on_halves(
    model: Path, halves: list[tuple[Path, Path]], arm: str, seed: int, folder: Path
) -> tuple[Output, float, int]:
    """Dev, each half translated with weights tuned on the other; the CPU seconds and iterations of tuning."""
    cpu, iterations = 0.0, 0
    parts = [folder / f"{number}.txt" for number in (0, 1)]
    for number, other in ((0, 1), (1, 0)):
        began = time.process_time()
        options = ARMS[arm].replace(seed=seed, threads=1)
        result = tune_model(model, *halves[number], options, out=folder / f"{model.name}.{arm}.{seed}.{number}.toml")
        cpu += time.process_time() - began
        iterations += len(result.history)
        made = Model(model).reweighted(result.weights).translate(list(read_trees(halves[other][0])))
        parts[other].write_text("".join(" ".join(one.tokens) + "\n" for one in made), "utf-8")
    interleave(parts, folder / "whole.txt")
    return Output(f"{arm} {seed}", tuple(lines(folder / "whole.txt"))), cpu, iterations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--corpus", default="multi30k-de-en", help="a German-English corpus in data/")
    parser.add_argument("--models", type=Path, help="folder of trained models, to be used again")
    parser.add_argument("--systems", nargs="+", default=["pbmt", "hpb"])
    parser.add_argument("--arms", nargs="+", default=list(ARMS), choices=list(ARMS))
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    data = given.data / "data" / given.corpus
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        halves = [(folder / f"half{n}.conllu", folder / f"half{n}.txt") for n in (0, 1)]
        split(data / "dev.de.conllu.gz", data / "dev.en.gz", halves)
        references = list(lines(data / "dev.en.gz"))
        for name in given.systems:
            model = (given.models or folder) / name
            if not model.exists():
                source, target = data / "train.de.conllu.gz", data / "train.en.gz"
                train(name, source=source, target=target, out=model)
            costs, systems = {}, []
            for arm in given.arms:
                runs = [tuned_on_halves(model, halves, arm, seed + 1, folder) for seed in range(given.seeds)]
                systems.append(Compared(arm, tuple(output for output, _, _ in runs)))
                costs[arm] = {
                    "cpu": statistics.mean(cpu for _, cpu, _ in runs),
                    "iterations": statistics.mean(iterations / len(halves) for _, _, iterations in runs),
                }
                print(f"{name} {arm}: {costs[arm]}", flush=True)
            options = EvaluateOptions(metrics=("bleu",), lowercase=True, tokenise="none")
            for score in compare(systems, references, options).scores[0].systems:
                costs[score.system] |= {"bleu": score.mean, "runs": score.runs, "p": score.p}
                print(f"{name} {score.system}: {costs[score.system]}", flush=True)
            figures[name] = costs
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
