"""Fingerprints of every system's files and translations: two versions that print the same give the same results.

Trains each system on Multi30k with the aligner and options of this version, translates test with the default weights
(best translations, and 20-best lists of the first sentences), and prints a SHA-256 for each file. ``--compare FILE``
takes the JSON line of another run and fails where a fingerprint differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

from graphmt.corpus import read_trees
from peers.folder import data_folder

SYSTEMS = ("pbmt", "tbmt", "gbmt", "gbmt-ctx", "hpb", "dep2str", "dgst", "btg")
#: Selection models are added to one system.
WITH = {"hpb": "gm,lrsm,tsm"}
#: Sentences with an n-best list.
LISTS = 100


def graphmt(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "graphmt", "--quiet", *map(str, arguments)], check=True)


def fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def fingerprints(data: Path, folder: Path, threads: int) -> dict[str, str]:
    corpus = data / "data" / "multi30k-de-en"
    source, target = corpus / "train.de.conllu.gz", corpus / "train.en.gz"
    test = corpus / "test.de.conllu.gz"
    links = folder / "train.align"
    graphmt("align", "--source", source, "--target", target, "--out", links, "--threads", threads)
    found = {"alignment": fingerprint(links)}
    first = folder / "first.conllu"
    with first.open("w", encoding="utf-8") as stream:
        for tree in islice(read_trees(test), LISTS):
            stream.write(tree.conllu())
    for system in SYSTEMS:
        for selection in ("", *([WITH[system]] if system in WITH else [])):
            name = f"{system}+{selection}" if selection else system
            model = folder / name
            added = ("--with", selection) if selection else ()
            files = ("--source", source, "--target", target, "--alignment", links)
            graphmt("train", model, *files, "--system", system, *added, "--threads", threads)
            for table in sorted(model.glob("*.bin")):
                found[f"{name}/{table.name}"] = fingerprint(table)
            graphmt("translate", model, test, "-o", folder / "best", "--threads", threads)
            found[f"{name}/test"] = fingerprint(folder / "best")
            graphmt("translate", model, first, "-o", folder / "lists", "--n-best", 20, "--threads", threads)
            found[f"{name}/n-best"] = fingerprint(folder / "lists")
            for key in found:
                if key.startswith(f"{name}/"):
                    print(f"{key:40} {found[key]}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--compare", type=Path, help="file whose last line is the JSON line of another run")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = fingerprints(options.data, Path(name), options.threads)
    print(json.dumps(found))
    if options.compare:
        other = json.loads(options.compare.read_text("utf-8").splitlines()[-1])
        different = sorted(key for key in {*found, *other} if found.get(key) != other.get(key))
        if different:
            sys.exit(f"different: {', '.join(different)}")


if __name__ == "__main__":
    main()
