"""How many words of lower-cased text get the right case back: the recaser, capitals at sentence starts only, and none.

The recaser is learned on the training part of a corpus and applied to its dev part, in lower case, so that translation
errors play no part. Languages: English, and German, where nouns have capitals. Words without letters do not count.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import islice
from pathlib import Path

from graphmt.corpus import TextOptions, TextSteps, tokenised
from peers.folder import data_folder

CORPORA = ("tatoeba-de-en", "multi30k-de-en")


def files(data: Path, language: str) -> dict[str, Path]:
    ending = "conllu.gz" if language == "de" else "gz"
    return {part: data / f"{part}.{language}.{ending}" for part in ("train", "dev")}


def right(output: list[str], wanted: list[str]) -> float:
    """Percent of words with letters that have the right case."""
    words = [
        one == other
        for made, line in zip(output, wanted, strict=True)
        for one, other in zip(made.split(), line.split(), strict=True)
        if any(map(str.isalpha, other))
    ]
    return round(100 * sum(words) / max(1, len(words)), 2)


def measured(paths: dict[str, Path], lines: int) -> dict[str, float]:
    plain = TextSteps(TextOptions(case="lower"))
    begin = time.perf_counter()
    fitted = plain.fit(islice(tokenised(paths["train"]), lines), target=True)
    seconds = time.perf_counter() - begin
    wanted = list(tokenised(paths["dev"]))
    lowered = [line.lower() for line in wanted]
    return {
        "recaser": right([fitted.capitalise(line) for line in lowered], wanted),
        "sentence_starts": right([plain.capitalise(line) for line in lowered], wanted),
        "lower_case": right(lowered, wanted),
        "seconds_to_learn": round(seconds, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--lines", type=int, default=100_000, help="training lines, at most")
    given = parser.parse_args()
    figures: dict[str, object] = {"lines": given.lines}
    for corpus in CORPORA:
        for language in ("en", "de"):
            found = measured(files(given.data / "data" / corpus, language), given.lines)
            figures[f"{corpus}.{language}"] = found
            print(f"{corpus}, {language}: {found}", flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
