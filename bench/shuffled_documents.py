"""Whether topic similarity (tsm) gains by documents: its gain over hpb on a corpus, and on the same in random order.

The corpora have no marks of documents, so that ten sentences in a row are one. In random order ten sentences have
nothing in common; what tsm still gains then is not due to documents. Held-out dev, MIRA, several seeds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path

from graphmt.experiments import ExperimentOptions, recipe, run
from graphmt.experiments.corpora import PARTS, CorpusFiles, find_corpus
from graphmt.storage.files import lines
from peers.folder import data_folder

RECIPE, TOPICS = "lexical-selection-choices", "hpb+tsm"


def shuffled(files: CorpusFiles, data: Path) -> str:
    """Writes the corpus in random order, and returns its name."""
    name = files.name.replace(f"-{files.languages}", f"-shuffled-{files.languages}")
    folder = data / name
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        trees = [tree for tree in "\n".join(lines(files.source[part])).split("\n\n") if tree.strip()]
        targets = list(lines(files.target[part]))
        order = list(range(len(targets)))
        random.Random(part).shuffle(order)
        _write(folder / files.source[part].name, "".join(f"{trees[k].strip()}\n\n" for k in order))
        _write(folder / files.target[part].name, "".join(f"{targets[k]}\n" for k in order))
    return name


def _write(path: Path, text: str) -> None:
    # Without a time in the file, so that a second run finds the first one's work.
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--out", type=Path, required=True, help="folder for the experiments; they resume")
    parser.add_argument("--corpus", action="append", help="may be given several times; default: multi30k-de-en")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    options = ExperimentOptions(seeds=given.seeds, threads=given.threads)
    figures = {}
    for corpus in given.corpus or ["multi30k-de-en"]:
        mixed = shuffled(find_corpus(given.data / "data", corpus), given.out / "data")
        for name, data in ((corpus, given.data / "data"), (mixed, given.out / "data")):
            done = run(recipe(RECIPE), data, given.out / name, options, corpora=[name], arms=[TOPICS])
            scores = done["corpora"][name]
            figures[name] = [claim for claim in scores["claims"] if claim["arm"] == TOPICS]
            print(name, figures[name])
    print(json.dumps({"bench": "shuffled_documents", "seeds": given.seeds, "corpora": figures}))


if __name__ == "__main__":
    main()
