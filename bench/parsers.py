"""UDPipe models trained on UD treebanks: attachment scores on gold trees, and the time of training and parsing.

German: the dev and test files of UD German GSD, tested on PUD. Chinese: the dev file of UD Chinese GSDSimp, tested on
its test file and on PUD, which is in traditional characters.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from graphmt.corpus import Parser, ParserOptions, evaluate_parser, read_trees, train_parser
from peers.folder import data_folder

TREEBANKS = {
    "de": (("de_gsd-ud-dev", "de_gsd-ud-test"), ("gold-trees/pud.de",)),
    "zh": (("zh_gsdsimp-ud-dev",), ("treebanks/zh_gsdsimp-ud-test", "gold-trees/pud.zh")),
}


def trained(language: str, data: Path, out: Path, options: ParserOptions) -> tuple[Parser, float]:
    files = [data / "treebanks" / f"{name}.conllu.gz" for name in TREEBANKS[language][0]]
    start = time.perf_counter()
    return train_parser(files, out / f"{language}.udpipe", options), time.perf_counter() - start


def measured(parser: Parser, gold: Path) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, raw in (("gold tokens", False), ("raw text", True)):
        scores = evaluate_parser(parser, gold, raw=raw)
        made[name] = {part: round(getattr(scores, part), 2) for part in ("tokens", "upos", "uas", "las")}
    lines = [" ".join(tree.forms) for tree in read_trees(gold)]
    start = time.process_time()
    parser.parse(lines, tokenised=True)
    made["sentences a CPU second"] = round(len(lines) / (time.process_time() - start))
    return made


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=data_folder, required=True, metavar="FOLDER")
    arguments.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="for the models")
    arguments.add_argument("--language", nargs="+", default=list(TREEBANKS), choices=TREEBANKS)
    arguments.add_argument("--epochs", type=int, default=100, help="of the tokeniser")
    arguments.add_argument("--tagger-iterations", type=int, default=20)
    arguments.add_argument("--parser-iterations", type=int, default=30)
    given = arguments.parse_args()
    data = given.data / "data"
    options = ParserOptions(
        tokeniser_epochs=given.epochs,
        tagger_iterations=given.tagger_iterations,
        parser_iterations=given.parser_iterations,
    )
    result: dict[str, Any] = {"options": options.as_dict()}
    for language in given.language:
        parser, seconds = trained(language, data, given.out, options)
        gold = {name: data / f"{name}.conllu.gz" for name in TREEBANKS[language][1]}
        result[language] = {
            "training seconds": round(seconds),
            **{name: measured(parser, path) for name, path in gold.items()},
        }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
