"""Alignment error rate, CPU time, memory and repeatability of every model, side by side.

Gold alignments: zh-en together with the TED training text, en-fr and ja-en with nothing but their own few
hundred pairs. IBM models 3 and 4 take hours on the TED text, so they are compared with two others on a
thousand pairs of it.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import itertools
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from graphmt.align import Alignment, AlignOptions, align, read_alignment, score, symmetrise
from graphmt.corpus import tokenised
from graphmt.errors import MissingPackageError
from peers.folder import data_folder

HEURISTICS = ("grow-diag-final-and", "intersection")
THOT = AlignOptions(model="thot-eflomal")
VARIANTS = {
    "thot-eflomal": THOT,
    "thot-eflomal, 1 sampler": THOT.replace(samplers=1),
    "thot-eflomal, 3 samplers": THOT.replace(samplers=3),
    "thot-eflomal, prefix 4": THOT.replace(prefix=4),
    "gibbs": AlignOptions(model="gibbs"),
    "gibbs, 1 sampler": AlignOptions(model="gibbs", samplers=1),
    "gibbs, 2 samplers": AlignOptions(model="gibbs", samplers=2),
    "gibbs, 4 samplers": AlignOptions(model="gibbs", samplers=4),
    "gibbs, 2 samplers, length 2": AlignOptions(model="gibbs", samplers=2, eflomal_length=2.0),
    "gibbs, prefix 4": AlignOptions(model="gibbs", prefix=4),
    "eflomal, 3 samplers": AlignOptions(model="eflomal", samplers=3),
    "hmm": AlignOptions(model="hmm"),
    "hmm, NULL 0.2": AlignOptions(model="hmm", hmm_null=0.2),
    "fast-align": AlignOptions(model="fast-align"),
    "ibm2": AlignOptions(model="ibm2"),
    "ibm1": AlignOptions(model="ibm1"),
    "ibm3": AlignOptions(model="ibm3"),
    "ibm4": AlignOptions(model="ibm4"),
}
#: Which of them are run on which text; the rest would take hours or say little.
FEW = ("thot-eflomal", "gibbs", "hmm", "ibm3", "ibm4")
WHOLE = (
    "thot-eflomal",
    "gibbs",
    "gibbs, 2 samplers, length 2",
    "gibbs, prefix 4",
    "hmm",
    "fast-align",
    "eflomal, 3 samplers",
    "thot-eflomal, prefix 4",
    "thot-eflomal, 3 samplers",
    "ibm1",
    "ibm2",
)


@dataclasses.dataclass(frozen=True)
class Gold:
    """Pairs with hand-made links, and pairs without that are aligned with them."""

    name: str
    source: list[str]
    target: list[str]
    links: Alignment


def gold(data: Path, name: str, more: Iterable[tuple[str, str]] = (), label: str | None = None) -> Gold:
    folder = data / "data" / "gold-alignments" / name
    with gzip.open(folder / "src-tgt.gz", "rt", encoding="utf-8") as stream:
        pairs = [tuple(line.split("|||")) for line in stream]
    source, target = zip(*itertools.chain(pairs, more), strict=True)
    links = read_alignment(folder / "gold.gz", one_based=True)
    return Gold(label or name, list(source), list(target), links)


def ted(data: Path) -> Iterator[tuple[str, str]]:
    folder = data / "data" / "ted-zh-en"
    return zip(tokenised(folder / "train.zh.conllu.gz"), tokenised(folder / "train.en.gz"), strict=True)


def cpu_seconds() -> float:
    """Of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure(text: Gold, variant: str, seed: int) -> dict[str, Any]:
    started = cpu_seconds()
    options = VARIANTS[variant].replace(seed=seed)
    aligned = align(text.source, text.target, options)
    row: dict[str, Any] = {"data": text.name, "model": variant, "seed": seed, "cpu": round(cpu_seconds() - started, 1)}
    number = len(text.links)
    for heuristic in HEURISTICS:
        joined = symmetrise(aligned.forward, aligned.reverse, heuristic).slice(0, number)
        result = score(text.links, joined)
        figures = (result.error_rate, result.precision, result.recall)
        row[heuristic] = [round(100 * figure, 2) for figure in figures]
    print(line(row), flush=True)
    return row


def line(row: dict[str, Any]) -> str:
    cells = [" / ".join(f"{value:.1f}" for value in row[heuristic]) for heuristic in HEURISTICS]
    return f"| {row['data']} | {row['model']} | {cells[0]} | {cells[1]} | {row['cpu']} |"


def repeatable(text: Gold, variant: str) -> bool:
    """Whether a second run, with one direction after the other, gives the same links."""
    options = VARIANTS[variant]
    runs = (align(text.source, text.target, options.replace(threads=threads)) for threads in (2, 1))
    return len({run.alignment.text() for run in runs}) == 1


def timing(data: Path, variant: str) -> dict[str, float]:
    """CPU seconds on Multi30k, and the peak memory of this process and of the largest other one."""
    folder = data / "data" / "multi30k-de-en"
    started = cpu_seconds()
    align(tokenised(folder / "train.de.conllu.gz"), tokenised(folder / "train.en.gz"), VARIANTS[variant])
    # Linux counts in kibibytes.
    peaks = (resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own, largest = (round(peak, 1) for peak in peaks)
    return {"cpu": round(cpu_seconds() - started, 1), "own_mebibytes": own, "largest_child_mebibytes": largest}


def timing_apart(data: Path, variant: str) -> dict[str, float]:
    """The same in a process of its own, whose memory has seen no other model."""
    command = [sys.executable, __file__, "--data", str(data), "--time", variant]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="the folder that holds data/ and peers/")
    parser.add_argument("--all", action="store_true", help="every model, and the TED text: hours; else three models")
    parser.add_argument("--only", choices=("gold", "few", "whole", "other"), help="only this part")
    parser.add_argument("--time", choices=list(VARIANTS), help="only time and memory of this row on Multi30k")
    parser.add_argument("--model", action="append", choices=list(VARIANTS), help="only this row; again for more")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each row, with seeds from 1")
    arguments = parser.parse_args()
    data: Path = arguments.data
    if arguments.time:
        print(json.dumps(timing(data, arguments.time)))
        return
    quick = not (arguments.all or arguments.only or arguments.model)
    wanted = [name for name in VARIANTS if not quick or name in ("thot-eflomal", "gibbs", "hmm")]
    parts = [arguments.only] if arguments.only else ["gold", "few", "whole", "other"]
    if quick:
        parts = ["gold", "other"]
    jobs: list[tuple[Gold, str]] = []
    if "gold" in parts:
        texts = [gold(data, name) for name in ("en-fr", "ja-en")]
        jobs += [(text, variant) for text in texts for variant in wanted]
    if "few" in parts:
        few = gold(data, "zh-en", itertools.islice(ted(data), 1000), "zh-en + 1,000 TED")
        jobs += [(few, variant) for variant in FEW]
    if "whole" in parts:
        whole = gold(data, "zh-en", ted(data), "zh-en + TED")
        jobs += [(whole, variant) for variant in WHOLE]
    jobs = [(text, variant) for text, variant in jobs if not arguments.model or variant in arguments.model]
    print("| data | model | AER / P / R, grow-diag-final-and | AER / P / R, intersection | CPU s |")
    print("|---|---|---|---|---|")
    rows = []
    for (text, variant), seed in itertools.product(jobs, range(1, arguments.seeds + 1)):
        try:
            rows.append(measure(text, variant, seed))
        except MissingPackageError as error:
            print(f"({error})")
    figures: dict[str, Any] = {"bench": "align", "rows": rows}
    if "other" in parts:
        figures |= other(data, [name for name in wanted if not arguments.model or name in arguments.model])
    print(json.dumps(figures))


def other(data: Path, wanted: list[str]) -> dict[str, Any]:
    timed = [name for name in ("thot-eflomal", "gibbs", "hmm", "fast-align") if name in wanted]
    # In turns, since other work on the machine makes all of them slower.
    runs = [(name, timing_apart(data, name)) for _ in range(2) for name in timed]
    print("CPU seconds and memory for the 29,000 pairs of Multi30k, both directions, two runs each:")
    for name, run in runs:
        print(f"{name}: {run}", flush=True)
    seconds = {name: [run for other, run in runs if other == name] for name in timed}
    same = {}
    small = gold(data, "en-fr")
    for variant in wanted:
        try:
            same[variant] = repeatable(small, variant)
        except MissingPackageError:
            continue
    print(f"Same links in a second run with one thread: {same}")
    return {"multi30k": seconds, "repeatable": same}


if __name__ == "__main__":
    main()
