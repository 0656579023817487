"""What trees are worth to tree systems: BLEU with the trees of the corpus, of another parser, and without a parser.

Multi30k German to English, some thousand pairs; all systems share word alignment and language model. The weights are
tuned on dev, and test is scored once. ``chain`` attaches every word to the one before it: no parser at all.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sacrebleu
from graphmt.align import AlignOptions
from graphmt.align.step import Outputs, align_files
from graphmt.corpus import Tree, head, open_parser, read_trees, tokenised, write_trees
from graphmt.corpus.parsers import parse_lines
from graphmt.training import TrainOptions, train
from graphmt.tune import TuneOptions
from peers.folder import data_folder

SYSTEMS = ("pbmt", "hpb", "gbmt-ctx", "dep2str")
NEED_TREES = ("gbmt-ctx", "dep2str")


def chain(tree: Tree) -> Tree:
    labels = ("root", *["dep"] * (len(tree) - 1))
    return dataclasses.replace(tree, heads=tuple(range(-1, len(tree) - 1)), deprels=labels)


def parsed(trees: Iterable[Tree], parser: str) -> list[Tree]:
    return [tree.surface() for tree in parse_lines(open_parser(parser), [tree.text for tree in trees], tokenised=True)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=data_folder, required=True, metavar="FOLDER")
    arguments.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="for the models")
    arguments.add_argument("--parser", nargs="*", default=[], metavar="KIND:MODEL")
    arguments.add_argument("--pairs", type=int, default=29_000)
    arguments.add_argument("--dev", type=int, default=1014)
    arguments.add_argument("--iterations", type=int, default=15)
    given = arguments.parse_args()
    logging.basicConfig(level=logging.INFO)
    data, out = given.data / "data" / "multi30k-de-en", given.out
    out.mkdir(parents=True, exist_ok=True)
    for part, count in (("train", given.pairs), ("dev", given.dev), ("test", 1000)):
        names = [f"{part}.de.conllu", f"{part}.en"]
        head([data / f"{name}.gz" for name in names], [out / name for name in names], count)
    align_files(out / "train.de.conllu", out / "train.en", Outputs(out / "links"), AlignOptions())
    references = list(tokenised(out / "test.en"))
    result: dict[str, Any] = {"pairs": given.pairs, "dev": given.dev, "bleu": {}}
    for trees in ("corpus", "chain", *given.parser):
        folder = out / trees.replace("/", "_").replace(":", "_")
        folder.mkdir(exist_ok=True)
        for part in ("train", "dev", "test"):
            path = out / f"{part}.de.conllu"
            own = list(read_trees(path))
            made = own if trees == "corpus" else map(chain, own) if trees == "chain" else parsed(own, trees)
            write_trees(folder / path.name, made)
        for system in SYSTEMS if trees == "corpus" else NEED_TREES:
            model = train(
                system,
                source=folder / "train.de.conllu",
                target=out / "train.en",
                alignment=out / "links",
                dev=(folder / "dev.de.conllu", out / "dev.en"),
                out=folder / system,
                options=TrainOptions(tune=TuneOptions(iterations=given.iterations)),
            )
            found = model.translate(list(read_trees(folder / "test.de.conllu")))
            score = sacrebleu.corpus_bleu(
                [" ".join(one.tokens) for one in found], [references], tokenize="none", force=True
            ).score
            result["bleu"].setdefault(trees, {})[system] = round(score, 2)
            logging.info("%s %s %.2f", trees, system, score)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
