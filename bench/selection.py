"""What lexical selection costs: CPU seconds of translating with hpb, with and without each model, one thread.

Multi30k German to English with Moses' alignment, the first sentences of the test set, weights as models start with.
Each measurement is the best of several, as other work on the machine only ever adds to it. The limits are 20 % for gm,
100 % for lrsm, 20 % for dwl, 5 % for tsm.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from peers.folder import data_folder

LIMITS = {"gm": 0.20, "lrsm": 1.00, "dwl": 0.20, "order": 0.20, "tsm": 0.05}


def train(data: Path, folder: Path, system: str) -> dict[str, float]:
    """One model with all selection; seconds of training each model of it."""
    from graphmt.rules import ExtractOptions
    from graphmt.selection import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions
    from graphmt.training import SidesOptions, TrainOptions
    from graphmt.training import train as train_model
    from peers.moses import peer, text

    options = TrainOptions(
        sides=SidesOptions(source_language="de", target_language="en"),
        extract=ExtractOptions(threads=1),
        gm=GmOptions(threads=1),
        lrsm=LrsmOptions(threads=1),
        dwl=DwlOptions(threads=1),
        order=OrderOptions(threads=1),
        tsm=TsmOptions(threads=1),
    )
    files = {
        "source": text(data) / "train.de.conllu.gz",
        "target": text(data) / "train.en.gz",
        "alignment": peer(data) / "aligned.gdfa.gz",
    }
    seconds = {}
    lm = None
    for name in ("", *LIMITS):
        began = time.process_time()
        out = folder / (name or "plain")
        train_model(
            system,
            **files,
            language_model=lm,
            out=out,
            selection=[name] if name else [],
            options=options,
            overwrite=True,
        )
        lm = folder / "plain" / "lm.bin"
        seconds[name or "plain"] = time.process_time() - began
    return seconds


def translate(data: Path, folder: Path, sentences: int, times: int) -> dict[str, float]:
    """CPU seconds a sentence, by model; the first translation of all warms caches and is not counted."""
    from graphmt.corpus import read_trees
    from graphmt.model import load
    from peers.moses import text

    trees = list(read_trees(text(data) / "test.de.conllu.gz"))[:sentences]
    models = {name: load(folder / name) for name in ("plain", *LIMITS)}
    best = dict.fromkeys(models, float("inf"))
    for round_ in range(times + 1):
        for name, model in models.items():
            # The features' own weights change what is searched; with nothing for a weight all search the same.
            silent = model.reweighted({feature: 0.0 for one in model.selection for feature in one.features})
            began = time.process_time()
            silent.translate(trees, threads=1)
            if round_:
                best[name] = min(best[name], (time.process_time() - began) / len(trees))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True)
    parser.add_argument("--system", default="hpb")
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--models", type=Path, help="A folder in which the models are kept, or were.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.models or Path(temporary)
        trained: dict[str, Any] = {}
        if not (folder / "tsm" / "manifest.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            trained = train(asked.data, folder, asked.system)
        seconds = translate(asked.data, folder, asked.sentences, asked.times)
    added = {name: seconds[name] / seconds["plain"] - 1 for name in LIMITS}
    for name, limit in LIMITS.items():
        print(
            f"{name}: {1000 * seconds[name]:.1f} ms a sentence, {100 * added[name]:+.1f} % (limit {100 * limit:.0f} %)"
        )
    print(json.dumps({"bench": "selection", "train_cpu": trained, "seconds": seconds, "added": added}))


if __name__ == "__main__":
    main()
