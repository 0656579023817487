"""BLEU of tuned systems that differ only in the word alignment model they were trained with.

Nothing is scored on test: dev is split at random into halves, the weights are tuned on one and scored on the other,
then the other way round; the two outputs are scored together. The seed decides the links, the halves and the random
numbers of tuning. All systems share a language model, and those of one aligner and seed share the links.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

from align import cpu_seconds
from graphmt import lm
from graphmt.align import AlignOptions
from graphmt.align.options import NAMES
from graphmt.align.step import Outputs, align_files
from graphmt.corpus import tokenised
from graphmt.model import load
from graphmt.training import train
from graphmt.tune import TuneOptions, tune_model
from peers.folder import data_folder
from sacrebleu.metrics import BLEU

Sentences = list[tuple[str, str]]


def source_file(folder: Path, part: str) -> Path:
    (found,) = folder.glob(f"{part}.*.conllu.gz")
    return found


def halves(folder: Path, seed: int) -> tuple[Sentences, Sentences]:
    """The tokenised sentences of dev, in two random halves."""
    with gzip.open(folder / "dev.en.gz", "rt", encoding="utf-8") as stream:
        references = [line.strip() for line in stream]
    dev = list(zip(tokenised(source_file(folder, "dev")), references, strict=True))
    random.Random(seed).shuffle(dev)
    return dev[: len(dev) // 2], dev[len(dev) // 2 :]


def written(sentences: Sentences, prefix: Path) -> tuple[Path, Path]:
    paths = prefix.with_suffix(".source"), prefix.with_suffix(".target")
    for side, path in enumerate(paths):
        path.write_text("".join(f"{pair[side]}\n" for pair in sentences), "utf-8")
    return paths


def score(model: Path, parts: tuple[Sentences, Sentences], scratch: Path, options: TuneOptions) -> float:
    """BLEU of both halves, each translated with weights that were tuned on the other."""
    output, references = [], []
    for number, (tuning, held_out) in enumerate((parts, parts[::-1])):
        copy = scratch / f"tuned{number}"
        shutil.copytree(model, copy)
        tune_model(copy, *written(tuning, scratch / f"half{number}"), options)
        output += [" ".join(one.tokens) for one in load(copy).translate([source for source, _ in held_out])]
        references += [reference for _, reference in held_out]
        shutil.rmtree(copy)
    return float(BLEU(tokenize="none", force=True).corpus_score(output, [references]).score)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--corpus", default="multi30k-de-en", help="folder in data/")
    parser.add_argument("--aligners", nargs="*", default=["thot-eflomal", "gibbs"], choices=NAMES)
    parser.add_argument("--systems", nargs="*", default=["pbmt", "hpb"])
    parser.add_argument("--seeds", type=int, default=1, help="runs with seeds from 1")
    parser.add_argument("--iterations", type=int, default=TuneOptions().iterations, help="of tuning, at most")
    given = parser.parse_args()
    logging.disable(logging.INFO)
    folder = given.data / "data" / given.corpus
    source, target = source_file(folder, "train"), folder / "train.en.gz"
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        lm.train(target, scratch / "lm")
        for seed in range(1, given.seeds + 1):
            for aligner in given.aligners:
                began, links = cpu_seconds(), scratch / "links"
                record = align_files(source, target, Outputs(links), AlignOptions(model=aligner, seed=seed))
                assert record is not None
                made = {"seed": seed, "aligner": aligner, "align_cpu": round(cpu_seconds() - began, 1)}
                for system in given.systems:
                    train(
                        system,
                        source=source,
                        target=target,
                        alignment=links,
                        language_model=scratch / "lm",
                        out=scratch / "model",
                        overwrite=True,
                    )
                    options = TuneOptions(seed=seed, iterations=given.iterations)
                    bleu = score(scratch / "model", halves(folder, seed), scratch, options)
                    rows.append({**made, "links": record["links"], "system": system, "bleu": round(bleu, 2)})
                    print(rows[-1], flush=True)
    print(json.dumps({"bench": "align_bleu", "corpus": given.corpus, "rows": rows}))


if __name__ == "__main__":
    main()
