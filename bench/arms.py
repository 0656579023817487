"""CPU time of decoding with the systems of an experiment that was run: side by side in one run, one thread.

The models and the weights of the first tuning run that ``graphmt experiment RECIPE --out OUT`` left, on the first
sentences of dev. Each measurement is the best of several, as other work on the machine only ever adds to it; ratios are
to the first system.
"""

from __future__ import annotations

import json
import time

from graphmt.experiments import recipe
from peers.experiment_models import corpus_runs, experiment_parser


def main() -> None:
    parser = experiment_parser(__doc__, recipe="graph-to-string", sentences=150)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    asked = recipe(given.recipe)
    figures = {}
    for name, run, trees in corpus_runs(given, asked):
        best: dict[str, float] = {}
        for _ in range(given.times):
            for arm in asked.arms:
                if arm.has_model:
                    model = run.tuned(arm, 1)
                    began = time.process_time()
                    model.translate(trees, threads=1)
                    seconds = (time.process_time() - began) / len(trees)
                    best[arm.name] = min(seconds, best.get(arm.name, seconds))
        first = next(iter(best.values()))
        for arm_name, seconds in best.items():
            print(f"{name}: {arm_name}: {1000 * seconds:.1f} ms a sentence, {seconds / first:.2f} times the first")
        figures[name] = {arm_name: {"ms": 1000 * s, "ratio": s / first} for arm_name, s in best.items()}
    print(json.dumps({"bench": "arms", "recipe": given.recipe, "sentences": given.sentences, "corpora": figures}))


if __name__ == "__main__":
    main()
