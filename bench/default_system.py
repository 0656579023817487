"""Which system should be the default: BLEU and time of systems with default settings on raw text.

Three kinds of text: UI strings (English to German, made from templates, see ui_catalogue.py), and samples of Multi30k
and Tatoeba (German to English, detokenised). Nothing is scored on test: UI strings are split at random into training,
tuning and held-out strings, and the dev sets of the other two into halves, one for tuning and one for scoring. The seed
decides the sample, the halves and the random numbers of tuning. Systems of one run share the word alignment.

A system may have settings: ``pbmt,search.distortion_limit=-1`` or ``pbmt,extract.reordering=true``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from graphmt.align import AlignOptions
from graphmt.align.step import Outputs, align_files
from graphmt.corpus import Tokeniser, read_trees
from graphmt.corpus.pair_steps import process_pair
from graphmt.model import load
from graphmt.training import SidesOptions, train
from graphmt.tune import TuneOptions, tune_model
from peers.folder import data_folder
from sacrebleu.metrics import BLEU
from ui_catalogue import catalogue

Pairs = list[tuple[str, str]]
PARTS = ("train", "tune", "held_out")
#: Training pairs, and sentences of each half of dev.
SIZES = {"ui": (1000, 100), "multi30k-de-en": (5000, 500), "tatoeba-de-en": (20_000, 500)}


def sentences(data: Path, part: str) -> Iterator[tuple[str, str]]:
    """Raw text: the detokenised sides."""
    german, english = Tokeniser("de"), Tokeniser("en")
    with gzip.open(data / f"{part}.en.gz", "rt", encoding="utf-8") as stream:
        for tree, line in zip(read_trees(data / f"{part}.de.conllu.gz"), stream, strict=False):
            yield german.detokenise(tree.text), english.detokenise(line.strip())


def split(corpus: str, data: Path, seed: int) -> dict[str, Pairs]:
    """Training, tuning and held-out pairs."""
    pairs, half = SIZES[corpus]
    chance = random.Random(seed)
    if corpus == "ui":
        known = catalogue(pairs + 2 * half, seed)
        chance.shuffle(known)
        return {"train": known[: -2 * half], "tune": known[-2 * half : -half], "held_out": known[-half:]}
    folder = data / "data" / corpus
    dev = list(islice(sentences(folder, "dev"), 4 * half))
    chance.shuffle(dev)
    corpus_pairs = list(islice(sentences(folder, "train"), 160_000))
    return {"train": chance.sample(corpus_pairs, pairs), "tune": dev[:half], "held_out": dev[half : 2 * half]}


def prepared(parts: dict[str, Pairs], folder: Path, sides: SidesOptions) -> dict[str, tuple[Path, Path]]:
    """The parts as files, and the word alignment of the training part."""
    files = {part: (folder / f"{part}.source", folder / f"{part}.target") for part in PARTS}
    for part, paths in files.items():
        for side, path in enumerate(paths):
            path.write_text("".join(f"{pair[side]}\n" for pair in parts[part]), "utf-8")
    tokens = folder / "tokens.source", folder / "tokens.target"
    process_pair(files["train"], tokens, (sides.steps("source"), sides.steps("target")))
    align_files(*tokens, Outputs(folder / "links"), AlignOptions())
    return files


def settings(text: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """The system and the options by stage."""
    name, *given = text.split(",")
    options: dict[str, dict[str, Any]] = {}
    for one in given:
        place, _, value = one.partition("=")
        stage, _, option = place.partition(".")
        options.setdefault(stage, {})[option] = json.loads(value)
    return name, options


def run(
    system: str, parts: dict[str, Pairs], folder: Path, files: Any, sides: SidesOptions, seed: int
) -> dict[str, float]:
    """BLEU on the held-out part before and after tuning, and seconds."""
    name, options = settings(system)
    out = folder / "model"
    sources, references = zip(*parts["held_out"], strict=True)
    figures: dict[str, float] = {}

    def score(which: str) -> None:
        model = load(out)
        begin = time.perf_counter()
        output = [one.text for one in model.translate(list(sources))]
        figures[f"{which}_seconds"] = time.perf_counter() - begin
        figures[which] = BLEU().corpus_score(output, [list(references)]).score

    begin = time.perf_counter()
    train(
        name,
        source=files["train"][0],
        target=files["train"][1],
        alignment=folder / "links",
        out=out,
        options={"sides": sides, **options},
        overwrite=True,
    )
    figures["train_seconds"] = time.perf_counter() - begin
    score("untuned")
    begin = time.perf_counter()
    tune_model(out, files["tune"][0], files["tune"][1], TuneOptions(seed=seed))
    figures["tune_seconds"] = time.perf_counter() - begin
    score("tuned")
    figures["megabytes"] = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--corpora", nargs="*", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--systems", nargs="*", default=["pbmt", "hpb", "btg"], metavar="SYSTEM[,STAGE.OPTION=VALUE…]")
    parser.add_argument("--seeds", type=int, default=3, help="runs with seeds from 1")
    parser.add_argument("--protect", default="auto", help="protected text: auto, none or groups")
    given = parser.parse_args()
    logging.disable(logging.INFO)
    result: dict[str, Any] = {"cores": os.cpu_count(), "seeds": given.seeds, "protect": given.protect}
    for corpus in given.corpora:
        languages = ("en", "de") if corpus == "ui" else ("de", "en")
        sides = SidesOptions(source_language=languages[0], target_language=languages[1], protect=given.protect).settled(
            raw=True
        )
        runs: dict[str, list[dict[str, float]]] = {system: [] for system in given.systems}
        for seed in range(1, given.seeds + 1):
            parts = split(corpus, given.data, seed)
            with tempfile.TemporaryDirectory() as scratch:
                files = prepared(parts, Path(scratch), sides)
                for system in given.systems:
                    found = run(system, parts, Path(scratch), files, sides, seed)
                    runs[system].append(found)
                    shown = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
                    print(f"{corpus}, seed {seed}, {system}: {shown}", flush=True)
        result[corpus] = {
            system: {name: round(statistics.fmean(one[name] for one in own), 2) for name in own[0]}
            for system, own in runs.items()
        }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
