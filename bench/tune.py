"""Tuning on Multi30k: CPU seconds to convergence, BLEU of dev and test, for each tuner and seed, beside Moses' MERT.

Test is translated once with each run's final weights; nothing is chosen by it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from graphmt.corpus import read_trees
from graphmt.model import Model
from graphmt.rules import ExtractOptions
from graphmt.storage.files import lines
from graphmt.training import TrainOptions, train
from graphmt.tune import TuneOptions, tune_model
from peers.folder import data_folder
from sacrebleu.metrics import BLEU

#: CPU seconds, one run (peers' results.md): MERT, 100-best, with decoding of dev.
MOSES = {"pbmt": {"cpu": 357, "test": 39.63}, "pbmt-lr": {"cpu": 1057, "test": 40.33}}


def trained(name: str, folder: Path, data: Path, peers: Path) -> Model:
    if not (folder / name).exists():
        options = TrainOptions(extract=ExtractOptions(reordering=name.endswith("-lr")))
        source, target = data / "train.de.conllu.gz", data / "train.en.gz"
        links = peers / "aligned.gdfa.gz"
        train(
            name.removesuffix("-lr"), source=source, target=target, out=folder / name, alignment=links, options=options
        )
    return Model(folder / name)


def bleu(model: Model, source: Path, target: Path) -> float:
    found = [" ".join(one.tokens) for one in model.translate(list(read_trees(source)))]
    metric = BLEU(lowercase=True, tokenize="none", force=True)
    return float(metric.corpus_score(found, [list(lines(target))]).score)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--models", type=Path, help="folder of trained models, to be used again")
    parser.add_argument("--systems", nargs="+", default=["pbmt", "pbmt-lr", "gbmt", "gbmt-ctx"])
    parser.add_argument("--tuners", nargs="+", default=["mert", "mira", "pro"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    given = parser.parse_args()
    data, peers = given.data / "data" / "multi30k-de-en", given.data / "peers" / "moses-multi30k-de-en"
    dev, test = ((data / f"{part}.de.conllu.gz", data / f"{part}.en.gz") for part in ("dev", "test"))
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as scratch:
        models = given.models or Path(scratch)
        for name in given.systems:
            model = trained(name, models, data, peers)
            start = {"dev": bleu(model, *dev), "test": bleu(model, *test)}
            print(f"{name:9} untuned            dev {start['dev']:.2f}  test {start['test']:.2f}", flush=True)
            figures[name] = {"untuned": start, "moses": MOSES.get(name)}
            for tuner in given.tuners:
                rows = []
                for seed in given.seeds:
                    begun = time.process_time()
                    out = Path(scratch) / f"{name}.{tuner}.{seed}.toml"
                    result = tune_model(model, *dev, TuneOptions(tuner=tuner, seed=seed), out=out)
                    cpu = time.process_time() - begun
                    score = bleu(model.reweighted(result.weights), *test)
                    rows.append({"seed": seed, "cpu": cpu, "iterations": len(result.history)})
                    rows[-1] |= {"dev": result.bleu, "test": score, "stopped": result.stopped}
                    ratio = f", {cpu / MOSES[name]['cpu']:.2f} of Moses'" if name in MOSES else ""
                    print(
                        f"{name:9} {tuner:5} seed {seed}: dev {result.bleu:.2f}  test {score:.2f}  CPU {cpu:.1f} s"
                        f"{ratio}, {len(result.history)} iterations, {result.stopped}",
                        flush=True,
                    )
                means = {key: statistics.mean(row[key] for row in rows) for key in ("cpu", "dev", "test")}
                figures[name] |= {tuner: {"runs": rows, "mean": means}}  # type: ignore[operator]
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
