"""Decoding times of systems at their default limits, in turns: CPU seconds of one thread, and ratios to the first.

German to English, models trained here, with the weights that they begin with or with tuned ones (``--tuned``). Every
round opens each model anew, so that no rules are prepared yet; opening does not count. The figure is the median of the
rounds, and a ratio is the median of the ratios of single rounds.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path

import graphmt
from graphmt.corpus import Tree, read_trees
from graphmt.tune import TuneOptions, tune_model
from peers.trained import models_parser, trained


def decoded(model: Path, weights: Path | None, sentences: list[Tree]) -> tuple[float, float]:
    """CPU seconds of one thread, and the mean score."""
    opened = graphmt.load(model, weights=weights)
    began = time.process_time()
    best = opened.translate(sentences, threads=1)
    seconds = time.process_time() - began
    return seconds, statistics.fmean(one.score for one in best)


def main() -> None:
    parser = models_parser(__doc__, systems=["pbmt", "gbmt-ctx"], rounds=10)
    parser.add_argument("--tuned", action="store_true", help="tune the weights of each system first")
    given = parser.parse_args()
    data = given.data / "data" / given.corpus
    sentences = list(read_trees(data / "test.de.conllu.gz"))
    seconds: dict[str, list[float]] = {name: [] for name in given.systems}
    scores: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        models = {name: trained(name, data, given.models or folder) for name in given.systems}
        weights: dict[str, Path | None] = dict.fromkeys(models)
        for name, model in models.items() if given.tuned else ():
            weights[name] = folder / f"{name}.toml"
            tune_model(model, data / "dev.de.conllu.gz", data / "dev.en.gz", TuneOptions(), out=weights[name])
        for _ in range(given.rounds):
            for name, model in models.items():
                used, scores[name] = decoded(model, weights[name], sentences)
                seconds[name].append(used)
    first = seconds[given.systems[0]]
    figures = {
        name: {
            "cpu": round(statistics.median(own), 2),
            "least": round(min(own), 2),
            "ratio": round(statistics.median(one / other for one, other in zip(own, first, strict=True)), 3),
            "score": round(scores[name], 4),
        }
        for name, own in seconds.items()
    }
    for name, figure in figures.items():
        print(f"{name}: {figure}")
    print(json.dumps({"bench": "systems_in_turns", "corpus": given.corpus, "tuned": given.tuned, **figures}))


if __name__ == "__main__":
    main()
