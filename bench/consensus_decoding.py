"""Decoding with consensus: CPU seconds beside the same model without it, in one run, one thread.

btg on Multi30k German to English with Moses' alignment and the weights it starts from; the spans of the first training
pairs by forced decoding; consensus features with the weights that tuning starts from.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from itertools import islice
from pathlib import Path

from graphmt.consensus import ConsensusDecoder, ConsensusOptions, make_span_memory
from graphmt.consensus.decode_learning import START
from graphmt.consensus.decoding import FEATURES
from graphmt.corpus import read_trees
from graphmt.model import Model, SearchOptions
from graphmt.storage.files import lines
from graphmt.training import train
from peers.folder import data_folder
from peers.moses import peer, text

PAIRS, SENTENCES = 29_000, 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="training pairs that are decoded")
    parser.add_argument("--sentences", type=int, default=SENTENCES, help="test sentences")
    parser.add_argument("--pop-limit", type=int, default=100)
    parser.add_argument("--turns", type=int, default=1, help="runs of each, in turns; the fastest counts")
    given = parser.parse_args()
    corpus = text(given.data)
    source, target = corpus / "train.de.conllu.gz", corpus / "train.en.gz"
    with tempfile.TemporaryDirectory() as folder:
        train(
            "btg",
            source=source,
            target=target,
            out=Path(folder) / "btg",
            alignment=peer(given.data) / "aligned.gdfa.gz",
        )
        model = Model(Path(folder) / "btg", search=SearchOptions(pop_limit=given.pop_limit))
        began = time.process_time()
        pairs = islice(zip(read_trees(source), lines(target), strict=True), given.pairs)
        memory, reached = make_span_memory(model, pairs, threads=1)
        figures: dict[str, object] = {
            "pairs": given.pairs,
            "reached": reached,
            "forced_cpu": time.process_time() - began,
            "spans": len(memory),
        }
        print(f"forced decoding of {given.pairs:,} pairs: {figures['forced_cpu']:.1f} CPU seconds, {reached:,} made")
        test = list(islice(read_trees(corpus / "test.de.conllu.gz"), given.sentences))
        stages = (model.weights, {**model.weights, **dict.fromkeys(FEATURES, START)})
        seconds: dict[str, float] = {}
        default = ConsensusOptions(threads=1)
        runs = {
            "baseline": None,
            "g-decode": default,
            "g-decode, all sub-spans": default.replace(shorter=1000),
            "g-decode in cells": default.replace(search="cells"),
            "g-decode in cells, all sub-spans": default.replace(search="cells", shorter=1000),
        }
        for name, options in [*runs.items()] * given.turns:
            began = time.process_time()
            if options is None:
                model.translate(test, threads=1)
            else:
                ConsensusDecoder(model, memory, options, stages).translate(test)
            seconds[name] = min(seconds.get(name, float("inf")), time.process_time() - began)
        for name in seconds:
            ratio = seconds[name] / seconds["baseline"]
            print(
                f"{name:32} {seconds[name]:6.1f} CPU seconds for {len(test)} sentences, {ratio:.2f} times the baseline"
            )
    figures["cpu"] = seconds
    figures["ratio"] = {name: value / seconds["baseline"] for name, value in seconds.items()}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
