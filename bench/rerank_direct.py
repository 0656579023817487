"""Re-ranking without weights: MBR and Struct-LP on the lists of the Transformer, cross-validated on dev and on test.

Each method is tuned on dev (the scale of the posterior; for Struct-LP with an anchor also its power). Cross-validation
tunes on four fifths of dev and scores the rest, so that a choice can be judged without test.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from graphmt.consensus import Candidates, NBestList, RerankOptions, learn, make_memory, read_lists
from graphmt.corpus import tokenised
from graphmt.tune import corpus_bleu
from peers.folder import data_folder

CORPORA = ("tatoeba-de-en", "multi30k-de-en")
FOLDS = 5
BASE = RerankOptions(lowercase=True, score="LogProb")
ARMS = {
    "mbr-bleu": BASE.replace(method="mbr-bleu"),
    "mbr-chrf": BASE.replace(method="mbr-chrf"),
    "struct-lp as printed": BASE.replace(method="struct-lp", normalise="neighbour"),
    "struct-lp": BASE.replace(method="struct-lp"),
    "struct-lp anchored": BASE.replace(method="struct-lp", anchor=None),
}

Part = tuple[list[str], list[NBestList], list[list[str]]]


def part(data: Path, corpus: str, name: str) -> Part:
    folder = data / "data" / corpus
    lists = list(read_lists(data / "peers" / "transformer" / f"{corpus}.{name}.nbest.gz"))
    sources = list(tokenised(folder / f"{name}.de.conllu.gz"))
    return sources, lists, [[line.lower()] for line in tokenised(folder / f"{name}.en.gz")]


def some(whole: Part, places: list[int]) -> Part:
    sources, lists, references = whole
    return [sources[k] for k in places], [lists[k] for k in places], [references[k] for k in places]


def bleu(texts: list[str], references: list[list[str]]) -> float:
    return corpus_bleu(texts, references, lowercase=True)


def figures(data: Path, corpus: str) -> dict[str, object]:
    folder = data / "data" / corpus
    dev, test = part(data, corpus, "dev"), part(data, corpus, "test")
    memory = make_memory(
        zip(tokenised(folder / "train.de.conllu.gz"), tokenised(folder / "train.en.gz"), strict=True), BASE
    )
    found: dict[str, object] = {
        "own": {
            name: bleu([one.texts[0] for one in lists], references)
            for name, (_, lists, references) in (("dev", dev), ("test", test))
        }
    }
    print(f"{corpus}: {found}", flush=True)
    for name, options in ARMS.items():
        held_out = [""] * len(dev[0])
        for fold in range(FOLDS):
            outside = [k for k in range(len(held_out)) if k % FOLDS != fold]
            inside = [k for k in range(len(held_out)) if k % FOLDS == fold]
            sources, lists, references = some(dev, outside)
            tuned = learn(Candidates(sources, lists, memory, options), references, options)
            sources, lists, _ = some(dev, inside)
            candidates = Candidates(sources, lists, memory, options)
            for place, text in zip(inside, candidates.best(tuned.rank(candidates).scores), strict=True):
                held_out[place] = text
        tuned = learn(Candidates(dev[0], dev[1], memory, options), dev[2], options)
        candidates = Candidates(test[0], test[1], memory, options)
        row = {
            "cross_validation": bleu(held_out, dev[2]),
            "test": bleu(candidates.best(tuned.rank(candidates).scores), test[2]),
            "scale": tuned.scale,
            "anchor": tuned.options.anchor,
        }
        found[name] = row
        print(f"{corpus}: {name:22} {row}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--corpus", choices=CORPORA, action="append", help="only this corpus; may be repeated")
    given = parser.parse_args()
    print(json.dumps({corpus: figures(given.data, corpus) for corpus in given.corpus or CORPORA}))


if __name__ == "__main__":
    main()
