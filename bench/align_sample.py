"""Alignment error rate and CPU time of an aligner that is trained on a sample and applied to all pairs.

The text is the gold alignments of zh-en together with the TED training text. The sample is evenly spaced over it, so it
has few of the gold pairs; with the size of the whole text, all pairs are trained on and then aligned by search. Size 0
is training on everything with the links of training, which is what ``graphmt align`` does by default.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from align import Gold, cpu_seconds, gold, ted
from graphmt.align import AlignOptions, align, score
from graphmt.align.options import NAMES
from peers.folder import data_folder

SIZES = (2_000, 5_000, 10_000, 20_000, 40_000)


def measure(text: Gold, options: AlignOptions) -> dict[str, Any]:
    started = cpu_seconds()
    aligned = align(text.source, text.target, options)
    result = score(text.links, aligned.alignment.slice(0, len(text.links)))
    figures = (result.error_rate, result.precision, result.recall)
    aer, precision, recall = (round(100 * figure, 2) for figure in figures)
    cpu = round(cpu_seconds() - started, 1)
    return {"sample": options.sample, "aer": aer, "precision": precision, "recall": recall, "cpu": cpu}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="the folder that holds data/ and peers/")
    parser.add_argument("--model", choices=NAMES, default=NAMES[0])
    parser.add_argument("--prefix", type=int, default=0)
    parser.add_argument("--sizes", type=int, nargs="+", help="sizes of samples; by default 2,000 to all pairs, and 0")
    given = parser.parse_args()
    data: Path = given.data
    text = gold(data, "zh-en", ted(data))
    sizes = given.sizes or [*SIZES, len(text.source), 0]
    print("| sample | AER | precision | recall | CPU s |")
    print("|---|---|---|---|---|")
    rows = []
    for size in sizes:
        row = measure(text, AlignOptions(model=given.model, prefix=given.prefix, sample=size))
        print("| " + " | ".join(str(value) for value in row.values()) + " |", flush=True)
        rows.append(row)
    figures = {"bench": "align_sample", "model": given.model, "prefix": given.prefix, "pairs": len(text.source)}
    print(json.dumps({**figures, "rows": rows}))


if __name__ == "__main__":
    main()
