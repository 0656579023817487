"""How many sentences tuning a re-ranker needs.

Transformer lists and training corpora as in ``untuned_rerank.py`` (at most 60,000 pairs as memory). Random samples of
the development set are tuned on with the features memory, lm and lexicon; BLEU of the test lists in lower case.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from itertools import islice
from pathlib import Path

from graphmt.consensus import NBestList, Reranker, RerankOptions, learn
from graphmt.corpus import tokenised
from graphmt.tune import corpus_bleu
from peers.folder import data_folder
from untuned_rerank import CORPORA, Part, alignment_of, bleu, pairs_of, read, resources_of, with_groups

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 400)
#: Samples of each size: four, and two from this size.
LARGE = 200
MOST_PAIRS = 60_000


def sampled(part: Part, size: int, seed: int) -> Part:
    chosen = random.Random(seed).sample(range(len(part.sources)), size)
    lists = [
        NBestList.of(number, zip(part.lists[k].texts, part.lists[k].values[:, 0].tolist(), strict=True))
        for number, k in enumerate(chosen)
    ]
    return Part([part.sources[k] for k in chosen], lists, [part.references[k] for k in chosen])


def measured(data: Path, name: str) -> dict[str, object]:
    dev, test = read(data, name, "dev"), read(data, name, "test")
    pairs = pairs_of(data, name)[:MOST_PAIRS]
    options = RerankOptions(features="memory,lm,lexicon", lowercase=True, score="score", normalised="no")
    with tempfile.TemporaryDirectory() as work:
        alignment = Path(work) / "alignment"
        lines = islice(tokenised(alignment_of(data, name)), len(pairs))
        alignment.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        resources = resources_of(pairs, alignment, options)
    fixed = options.replace(features="memory,lm")
    found: dict[str, object] = {
        "first": corpus_bleu([one.texts[0] for one in test.lists], test.references),
        "fixed": bleu(Reranker.untuned(("score",), fixed, with_groups(resources, fixed)), test),
    }
    for size in SIZES:
        own = []
        for seed in range(4 if size < LARGE else 2):
            part = sampled(dev, size, seed)
            made = learn(part.candidates(options), part.references, options, resources)
            own.append(round(bleu(made, test), 2))
        found[str(size)] = own
        print(name, size, own, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    given = parser.parse_args()
    print(json.dumps({name: measured(given.data, name) for name in CORPORA}))


if __name__ == "__main__":
    main()
