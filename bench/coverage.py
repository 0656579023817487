"""What the rules of the systems of an experiment can derive: side by side, on dev.

The models that ``graphmt experiment RECIPE --out OUT`` left. For each: its rules by kind, the share of dev sentences
whose reference it can derive (forced decoding), and the share of spans of two to five words that have a translation in
the reference. What a grammar cannot derive, no weights can choose.
"""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path

import numpy as np
from graphmt.corpus import Tree, read_trees
from graphmt.experiments import ExperimentOptions, recipe
from graphmt.experiments.corpora import find_corpus
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.tuner import tune
from graphmt.model import Model
from graphmt.rules.extract import rule_kinds
from graphmt.storage.files import lines
from peers.folder import data_folder

SHORT = range(2, 6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--out", type=Path, required=True, help="folder that the experiment wrote")
    parser.add_argument("--recipe", default="graph-to-string-choices")
    parser.add_argument("--corpus", action="append", help="instead of the recipe's; may be given several times")
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    asked = recipe(given.recipe)
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for name in given.corpus or asked.corpora:
        run = CorpusRun(find_corpus(given.data / "data", name), given.out, ExperimentOptions(), asked.tuner, tune)
        trees = list(islice(read_trees(run.source["dev"]), given.sentences))
        references = list(islice(lines(run.text["dev"]), given.sentences))
        found = figures.setdefault(name, {})
        for folder in dict.fromkeys(run.folder / "models" / arm.model for arm in asked.arms):
            if folder.exists():
                model = Model(folder)
                found[folder.name] = _derived(model, trees, references, given.threads)
                print(f"{name}: {folder.name}: {found[folder.name]}", flush=True)
    print(json.dumps({"bench": "coverage", "recipe": given.recipe, "sentences": given.sentences, "corpora": figures}))


def _derived(model: Model, trees: list[Tree], references: list[str], threads: int) -> dict[str, float]:
    forced = model.forced(trees, references, threads=threads)
    known = [
        sum(found.end - found.first in SHORT for found in one.spans) / max(1, _short_spans(len(tree)))
        for one, tree in zip(forced, trees, strict=True)
    ]
    return {
        "rules": sum(rule_kinds(model.manifest.report["rules"]).values()),
        "reached": round(float(np.mean([one.reached for one in forced])), 4),
        "short spans": round(float(np.mean(known)), 4),
    }


def _short_spans(words: int) -> int:
    return sum(max(0, words - length + 1) for length in SHORT)


if __name__ == "__main__":
    main()
