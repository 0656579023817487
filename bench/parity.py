"""How close to Moses we are: phrase pairs, phrase table, best scores; and how many rules of each kind there are."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmt.corpus import read_trees
from graphmt.draw.plot import Series, line_chart
from graphmt.model import Model, SearchOptions
from graphmt.rules import ExtractOptions, extract_rules
from graphmt.systems import SYSTEMS, Links, SubgraphRules, System
from peers import moses
from peers.folder import data_folder

#: Pop limits of the curve, and how often each is timed.
POPS = (50, 100, 200, 250, 300, 500, 1000, 2000)
ROUNDS = 3
#: CPU seconds of Moses for the 1,000 sentences by pop limit: medians of three, stored, of another machine.
MOSES_CPU = {250: 17.2, 500: 27.9}
#: What the paper's Table 2 has, as shares of basic, segmenting and selecting rules.
PAPER = "35-36 % / 53 % / 11-12 %"
#: An independent prototype's counts on the first 3,000 pairs (basic, segmenting, selecting).
PROTOTYPE = {
    ("bigram + dependency", "next"): (109_390, 128_692, 16_780),
    ("bigram + dependency", "rest"): (109_390, 93_962, 7_163),
    ("dependency", "next"): (45_462, None, None),
    ("bigram", "next"): (88_395, None, None),
}
SETS = {
    "bigram + dependency": Links(bigram=True, dependency=True),
    "dependency": Links(dependency=True),
    "bigram": Links(bigram=True),
}


def first(data: Path, folder: Path, pairs: int) -> dict[str, Path]:
    """The first pairs, with their trees."""
    files = moses.corpus(data, folder, pairs)
    files["trees"] = folder / "train.conllu"
    with files["trees"].open("w", encoding="utf-8") as out:
        for tree in itertools.islice(read_trees(moses.text(data) / "train.de.conllu.gz"), pairs):
            out.write(tree.conllu())
    return files


def shares(data: Path, folder: Path, pairs: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    files = first(data, folder, pairs)
    for name, scope in PROTOTYPE:
        system = System("any", "", SETS[name], SubgraphRules(context=True), {})
        options = ExtractOptions(context_scope=scope)
        made = extract_rules(system, **files, out=folder / "shares.bin", options=options)
        counts = tuple(made.kinds.values())
        rows.append({"links": name, "context": scope, "rules": counts, "prototype": PROTOTYPE[name, scope]})
        print(f"{name:20} {scope:5} {of_all(counts):28} {counts}  prototype {PROTOTYPE[name, scope]}")
    return rows


def of_all(counts: tuple[int, ...]) -> str:
    return " / ".join(f"{100 * count / sum(counts):.1f} %" for count in counts)


def seconds(text: str) -> tuple[int, float]:
    """An argument POPS=SECONDS."""
    pops, _, taken = text.partition("=")
    return int(pops), float(taken)


def curve(data: Path, plot: Path | None, moses_cpu: Mapping[int, float]) -> dict[str, object]:
    """Mean best scores of the 1,000 test sentences by pop limit, with Moses' weights, beside Moses' stored ones."""
    theirs = moses.pop_curve(data)
    sentences = list(read_trees(moses.text(data) / "test.de.conllu.gz"))
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        model = moses.own_model(data, Path(name))
        for pops in POPS:
            opened = Model(model, search=SearchOptions(pop_limit=pops, stack_size=max(pops, 200)))
            times = []
            for _ in range(ROUNDS):
                began = time.process_time()
                found = opened.translate(sentences, threads=1)
                times.append(time.process_time() - began)
            scores = [one.score for one in found]
            row = {
                "pops": pops,
                "mean": statistics.fmean(scores),
                "moses": theirs.mean(pops),
                "below_moses": theirs.below(scores, pops) if theirs.mean(pops) else None,
                "below_best": theirs.below(scores),
                "cpu": min(times),
            }
            rows.append(row)
            print(" ".join(f"{name} {value:.7g}" if value is not None else f"{name} -" for name, value in row.items()))
    if plot:
        plot.write_text(drawn(rows, theirs, moses_cpu), encoding="utf-8")
    return {"curve": rows}


def drawn(rows: Sequence[dict[str, Any]], theirs: moses.PopCurve, moses_cpu: Mapping[int, float]) -> str:
    """What is lost against the best mean, by CPU time; that of Moses is on the line through the measured ones."""
    line = statistics.linear_regression([*moses_cpu], [*moses_cpu.values()])
    taken = [line.intercept + pops * line.slope for pops in theirs.totals]
    means = [mean for pops in theirs.totals if (mean := theirs.mean(pops)) is not None]
    best = max(*means, *(row["mean"] for row in rows))
    return line_chart(
        [
            Series("graphmt", [row["cpu"] for row in rows], [1000 * (best - row["mean"]) for row in rows]),
            Series("Moses", taken, [1000 * (best - mean) for mean in means]),
        ],
        title="1,000 sentences of Multi30k, the same tables, language model and weights",
        x_label="CPU seconds",
        y_label="score lost, all sentences",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--curve", action="store_true", help="best scores by pop limit, and nothing else")
    parser.add_argument("--plot", type=Path, help="with --curve: SVG file for scores against CPU time")
    parser.add_argument(
        "--moses-cpu",
        type=seconds,
        nargs="+",
        metavar="POPS=SECONDS",
        default=MOSES_CPU.items(),
        help="Moses' CPU seconds by pop limit, measured on this machine (moses_turns.py)",
    )
    given = parser.parse_args()
    data = given.data
    if given.curve:
        print(json.dumps(curve(data, given.plot, dict(given.moses_cpu))))
        return
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        only_moses, only_ours = moses.extraction_difference(data, folder)
        figures["extraction"] = {"only_moses": only_moses.total(), "only_ours": only_ours.total()}
        print(f"phrase pairs of 1,000 sentence pairs: {figures['extraction']}")

        report, table = moses.full_table(data, folder)
        difference = moses.table_difference(data, table)
        figures["table"] = {"entries": report.rules, **dataclasses.asdict(difference)}
        print(f"phrase table: {figures['table']}")

        model = moses.model(data, folder)
        figures["scores"] = []
        for search in (
            SearchOptions(),
            SearchOptions(pop_limit=1000, stack_size=1000),
            SearchOptions(search="stack"),
            SearchOptions(pop_limit=100),
        ):
            found = moses.best_scores(data, model, search)
            row = {"search": search.search, "pops": search.pop_limit, "stack": search.stack_size}
            figures["scores"].append({**row, **dataclasses.asdict(found)})
            print(
                f"{row}: same {found.same}, better {found.better}, worse {found.worse}, sums {found.largest_error:.1e}"
            )

        print(f"rules by kind, first 3,000 pairs (the paper: {PAPER}):")
        figures["shares"] = shares(data, folder, 3000)
        trees = moses.text(data) / "train.de.conllu.gz"
        files = moses.corpus(data, folder)
        made = extract_rules(SYSTEMS["gbmt-ctx"], **files, trees=trees, out=folder / "shares.bin")
        counts = tuple(made.kinds.values())
        figures["shares_full"] = counts
        print(f"gbmt-ctx, all {made.pairs:,} pairs: {of_all(counts)} {counts}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
