"""BLEU by the share λ that the walk of lexical selection gives back to its beginning, as a table and a picture.

Runs the experiment lexical-selection-walk, or takes what of it was run in OUT.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from graphmt.draw.plot import Series, line_chart
from graphmt.experiments import ExperimentOptions, run
from graphmt.experiments.recipes.lexical_selection import DEFAULT_LAMBDA, LEXICAL_SELECTION_WALK
from peers.folder import data_folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--out", type=Path, help="folder of the experiment, where what was done is not done again")
    parser.add_argument("--corpus", action="append", help="instead of the recipe's; may be given several times")
    parser.add_argument("--seeds", type=int, help="tuning runs; the experiment has three")
    parser.add_argument("--tuner", choices=("mira", "mert", "pro"), help="instead of the recipe's")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--plot", type=Path, help="SVG file to draw BLEU against λ into, beside that of the default")
    given = parser.parse_args()
    asked = LEXICAL_SELECTION_WALK
    corpora = given.corpus or asked.corpora
    with tempfile.TemporaryDirectory() as temporary:
        options = ExperimentOptions(seeds=given.seeds, threads=given.threads, tuner=given.tuner)
        made = run(asked, given.data / "data", given.out or Path(temporary), options, corpora=corpora)
    figures = {}
    for name in corpora:
        means = {system["system"]: system["mean"] for system in made["corpora"][name]["scores"][0]["systems"]}
        figures[name] = {label: means[arm] for label, arm in asked.ablations[0].rows}
        print(f"| {name} | " + " | ".join(f"{bleu:.2f}" for bleu in figures[name].values()) + " |")
    if given.plot:
        series = [
            Series(name, [float(x) for x in by], [bleu - by[str(DEFAULT_LAMBDA)] for bleu in by.values()])
            for name, by in figures.items()
        ]
        title = f"BLEU of hpb+gm(pmi) by λ, less that of {DEFAULT_LAMBDA}"
        given.plot.write_text(line_chart(series, title=title, x_label="λ", y_label="BLEU"), encoding="utf-8")
    print(json.dumps({"bench": "walk", "bleu": figures}))


if __name__ == "__main__":
    main()
