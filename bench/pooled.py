"""A gain over all sentences that had no part in tuning: held-out dev and test together, from an experiment's outputs.

A thousand sentences can tell differences of about half a point of BLEU. Recipes score held-out dev and test apart; this
puts both parts of a run behind one another, so that twice as many sentences decide.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from graphmt.evaluate import Compared, EvaluateOptions, Output, compare, read_output, read_text
from graphmt.evaluate.comparison import difference
from peers.folder import data_folder

TRIALS = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--out", type=Path, help="folder of the experiments, of which both recipes were run")
    parser.add_argument("--corpus", default="multi30k-de-en")
    parser.add_argument("--over", default="hpb")
    parser.add_argument("--arm", default="any span, 3 external", help="its name where dev is held out")
    parser.add_argument("--test-arm", help="its name in the recipe with test; default: dgst, ARM")
    parser.add_argument("--tuner", default="mira")
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    folder = given.out / given.corpus if given.out else None
    if folder is None or not folder.is_dir():
        print(json.dumps({"bench": "pooled", "skipped": "no experiments (--out)"}))
        return
    names = {given.over: (given.over, given.over), given.arm: (given.arm, given.test_arm or f"dgst, {given.arm}")}

    def pooled(name: str, seed: int) -> Output:
        lines: list[str] = []
        for run, part in zip(names[name], ("held-out", "test"), strict=True):
            path = folder / "runs" / f"{run}-{given.tuner}-{seed}" / f"{part}.jsonl.gz"
            lines += read_output(path, tokens=True).lines
        return Output(f"{name}, seed {seed}", tuple(lines))

    systems = [Compared(name, tuple(pooled(name, seed + 1) for seed in range(given.seeds))) for name in names]
    reference = [line for part in ("dev", "test") for line in read_text(next((folder / "text").glob(f"{part}.en*")))]
    options = EvaluateOptions(tokenise="none", trials=TRIALS)
    whole = compare(systems, [("dev and test", reference)], options)
    gains = difference(whole, given.arm, given.over)
    for metric, gain in gains.items():
        print(f"{metric}: {gain.difference:+.2f}, p (runs) {gain.p_runs:.4f}, p (sentences) {gain.p_sentences:.4f}")
    figures = {metric: gain._asdict() for metric, gain in gains.items()}
    print(json.dumps({"bench": "pooled", "corpus": given.corpus, "sentences": len(reference), "gains": figures}))


if __name__ == "__main__":
    main()
