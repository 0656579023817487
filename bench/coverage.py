"""What the rules of the systems of an experiment can derive: side by side, on dev.

The models that ``graphmt experiment RECIPE --out OUT`` left. For each: the number of its rules, the share of dev
sentences whose reference it can derive (forced decoding), and the share of spans of two to five words that have a
translation in the reference. What a grammar cannot derive, no weights can choose.
"""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
from graphmt.corpus import Tree
from graphmt.experiments import recipe
from graphmt.model import Model
from graphmt.rules.extract import rule_kinds
from graphmt.storage.files import lines
from peers.experiment_models import corpus_runs, experiment_parser

SHORT = range(2, 6)


def main() -> None:
    parser = experiment_parser(__doc__, recipe="graph-to-string-choices", sentences=500)
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    asked = recipe(given.recipe)
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for name, run, trees in corpus_runs(given, asked):
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
