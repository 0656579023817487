"""How close to Moses we are: phrase pairs, phrase table, best scores; and how many rules of each kind there are."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import tempfile
from pathlib import Path

from graphmt.corpus import read_trees
from graphmt.model import SearchOptions
from graphmt.rules import ExtractOptions, extract_rules
from graphmt.systems import SYSTEMS, Links, SubgraphRules, System
from peers import moses
from peers.folder import data_folder

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
        options = ExtractOptions(context_scope=scope, identity="gaps" if name == "bigram" else "links")
        made = extract_rules(system, **files, out=folder / "shares.bin", options=options)
        counts = tuple(made.kinds.values())
        rows.append({"links": name, "context": scope, "rules": counts, "prototype": PROTOTYPE[name, scope]})
        print(f"{name:20} {scope:5} {of_all(counts):28} {counts}  prototype {PROTOTYPE[name, scope]}")
    return rows


def of_all(counts: tuple[int, ...]) -> str:
    return " / ".join(f"{100 * count / sum(counts):.1f} %" for count in counts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    data = parser.parse_args().data
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
