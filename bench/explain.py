"""Explaining a translation: the CPU time of ``/v1/explain`` and of listing options, relative to translating.

The longest sentences of Multi30k's dev set are joined to one of 66 words and translated by hpb, by turns with the other
work, on one thread.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import graphmt
from graphmt.model import n_best_with_options
from graphmt.server.explanation import Question, explanation
from graphmt.server.served import ModelSource, OpenedModel
from graphmt.server.work import Settings
from peers.folder import data_folder

ROUNDS, WORDS = 9, 66


def seconds(work: Callable[[], object]) -> float:
    """Its CPU time."""
    began = time.process_time()
    work()
    return time.process_time() - began


def figures(folder: Path, text: str) -> dict[str, float]:
    """The medians of ratios to the time of translating, which is given in seconds."""
    opened = OpenedModel(ModelSource.parse(str(folder)), 0.8)
    settings = Settings(tokenised=True)
    model = opened.variant(tokenised=True)
    [prepared] = model.prepare([text])
    span = (3, 5)

    def explain(**wanted: object) -> object:
        return explanation(opened, Question(text, text, **wanted), settings, 200)  # type: ignore[arg-type]

    works: dict[str, Callable[[], object]] = {
        "n_best_100": lambda: model.n_best_prepared([prepared], 100, distinct=True, threads=1),
        "options": lambda: n_best_with_options(model, prepared, 1),
        "explain": explain,
        "explain_span": lambda: explain(alternatives=5, span=span),
    }
    rows: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        base = seconds(lambda: model.n_best_prepared([prepared], 1, threads=1))
        rows.append({"translate_seconds": base, **{name: seconds(work) / base for name, work in works.items()}})
    return {name: round(statistics.median(row[name] for row in rows), 3) for name in rows[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=data_folder, default=Path("../shared"))
    parser.add_argument("--model", type=Path, help="an hpb model of Multi30k; none: one is trained")
    options = parser.parse_args()
    corpus = options.data / "data" / "multi30k-de-en"
    longest = sorted((tree.tokens for tree in graphmt.read_trees(corpus / "dev.de.conllu.gz")), key=len)[:-4:-1]
    text = " ".join([word for words in longest for word in words][:WORDS])
    with tempfile.TemporaryDirectory(prefix="graphmt-bench-") as folder:
        model = options.model or Path(folder) / "hpb"
        if options.model is None:
            graphmt.train("hpb", source=corpus / "train.de.conllu.gz", target=corpus / "train.en.gz", out=model)
        found = figures(model, text)
    for name, value in found.items():
        print(f"{name}: {value}")
    print(json.dumps({"benchmark": "explain", "words": WORDS, **found}))


if __name__ == "__main__":
    main()
