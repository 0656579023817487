"""Speed of extraction and of translation by the left-to-right systems, one thread, in CPU seconds.

Multi30k German to English with Moses' alignment and weights (a gap costs what a jump of the same length does). Every
measurement is a process of its own, so that memory is its own as well. Beside Moses: ``moses_turns.py``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from peers import jobs
from peers.folder import data_folder

SYSTEMS = ("pbmt", "tbmt", "gbmt", "gbmt-ctx")
POPS = (30, 100, 200, 1000)
#: At which the sentences per second of the summary are taken: the default.
CHOSEN = 200


def prepare(data: Path, folder: Path) -> dict[str, Any]:
    """Texts in lower case, and the language model."""
    from graphmt import lm
    from peers.moses import lowercased

    lowercased(data, folder)
    began = time.process_time()
    lm.train([folder / "train.en"], folder / "lm.bin")
    return {"lm_cpu": time.process_time() - began}


def extract(data: Path, folder: Path, name: str) -> dict[str, Any]:
    """Extraction and scoring, and a model folder around the table."""
    from graphmt.rules import ExtractOptions, extract_rules
    from graphmt.systems import SYSTEMS as KNOWN
    from peers.moses import peer, surrounded, text

    system = KNOWN[name]
    model = folder / name
    model.mkdir()
    began = time.process_time()
    report = extract_rules(
        system,
        folder / "train.de",
        folder / "train.en",
        peer(data) / "aligned.gdfa.gz",
        model / "rules.bin",
        trees=text(data) / "train.de.conllu.gz",
        options=ExtractOptions(threads=1),
    )
    cpu = time.process_time() - began
    surrounded(model, name, folder / "lm.bin")
    rules = report.rules
    return {"cpu": cpu, "rules": rules, "mib": (model / "rules.bin").stat().st_size >> 20}


def decode(data: Path, folder: Path, name: str, pops: str) -> dict[str, Any]:
    """The test set: time to open apart, the translations' mean score."""
    from graphmt.corpus import read_trees
    from graphmt.model import Model, SearchOptions
    from peers.moses import text

    sentences = list(read_trees(text(data) / "test.de.conllu.gz"))
    opened = []
    for _ in range(5):
        began = time.perf_counter()
        model = Model(folder / name, search=SearchOptions(pop_limit=int(pops), stack_size=min(200, int(pops))))
        opened.append(time.perf_counter() - began)
    began = time.process_time()
    best = model.translate(sentences, threads=1)
    cpu = time.process_time() - began
    steps = [step for one in best for step in one.derivation.steps]
    gaps = sum(step.positions[-1] - step.positions[0] + 1 > len(step.positions) for step in steps)
    return {
        "sentences": len(best) / cpu,
        "score": sum(one.score for one in best) / len(best),
        "open_ms": 1000 * min(opened),
        "discontinuous": gaps / len(steps),
        "contextual": sum(step.context is not None for step in steps) / len(steps),
    }


def tatoeba(data: Path, folder: Path) -> dict[str, Any]:
    """Memory of the largest extraction: gbmt-ctx on 160,074 pairs, with the default budget."""
    from graphmt.corpus import tokenised
    from graphmt.rules import ExtractOptions, extract_rules
    from graphmt.systems import SYSTEMS as KNOWN

    text = data / "data" / "tatoeba-de-en"
    for name, source in (("tatoeba.de", "train.de.conllu.gz"), ("tatoeba.en", "train.en.gz")):
        with (folder / name).open("w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in tokenised(text / source, lowercase=True))
    began = time.process_time()
    report = extract_rules(
        KNOWN["gbmt-ctx"],
        folder / "tatoeba.de",
        folder / "tatoeba.en",
        data / "peers" / "moses-tatoeba-de-en" / "aligned.gdfa.gz",
        folder / "tatoeba.bin",
        trees=text / "train.de.conllu.gz",
        options=ExtractOptions(),
    )
    rules = report.rules
    return {"cpu": time.process_time() - began, "pairs": report.pairs, "rules": rules}


def parity(data: Path, folder: Path) -> dict[str, Any]:
    """Mean score on the parity set, with Moses' table, beside Moses' own."""
    from graphmt.model import SearchOptions
    from peers import moses

    found = moses.best_scores(data, moses.model(data, folder), SearchOptions(pop_limit=CHOSEN))
    return {"score": found.mean, "moses": found.mean_theirs, "worse": len(found.worse)}


JOBS = {job.__name__: job for job in (prepare, extract, decode, tatoeba, parity)}


def measured(data: Path, folder: Path, *job: str) -> dict[str, Any]:
    """A job of this bench."""
    return jobs.measured(__file__, data, folder, *job)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--pops", type=int, nargs="+", default=POPS, help="pop limits to measure")
    parser.add_argument("--job", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        jobs.do(JOBS, arguments.data, arguments.job)
        return
    figures: dict[str, Any] = {"systems": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures["lm"] = measured(arguments.data, folder, "prepare")
        for system in SYSTEMS:
            made = figures["systems"][system] = {"extract": measured(arguments.data, folder, "extract", system)}
            taken = made["extract"]
            print(
                f"{system:9} extraction and scoring {taken['cpu']:5.1f} CPU s, "
                f"{taken['rules']:,} rules, table {taken['mib']} MiB, peak {taken['peak_mib']} MiB",
                flush=True,
            )
        for system, pops in itertools.product(SYSTEMS, arguments.pops):
            found = measured(arguments.data, folder, "decode", system, str(pops))
            figures["systems"][system][pops] = found
            print(
                f"{system:9} pops {pops:4}: {found['sentences']:6.0f} sentences / CPU s, "
                f"mean score {found['score']:.4f}, opens in {found['open_ms']:.0f} ms, "
                f"peak {found['peak_mib']} MiB, {100 * found['discontinuous']:.1f} % of rules discontinuous, "
                f"{100 * found['contextual']:.1f} % contextual",
                flush=True,
            )
        figures["parity"] = measured(arguments.data, folder, "parity")
        print(f"parity set, pops {CHOSEN}: {figures['parity']}", flush=True)
        figures["tatoeba"] = measured(arguments.data, folder, "tatoeba")
        print(f"tatoeba, gbmt-ctx: {figures['tatoeba']}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
