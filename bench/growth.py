"""How training and translating grow with the corpus: CPU seconds and peak memory for multiples of Tatoeba.

No corpus here is that large, so each further copy has a third of its words renamed, on both sides: its vocabulary, its
rules and its n-grams are new in part, as those of more text are. Sentences remain as short as Tatoeba's.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

from peers import jobs
from peers.folder import data_folder

MULTIPLES = (1, 2, 5, 10, 20)
SENTENCES = 500
#: One word in this many is renamed in each copy.
RENAMED = 3


def copy(data: Path, folder: Path, first: str, last: str) -> dict[str, Any]:
    """Appends copies of the corpus with their alignment, from number ``first`` up to ``last``."""
    from graphmt.corpus import tokenised

    corpus = data / "data" / "tatoeba-de-en"
    sides = [list(tokenised(corpus / name, lowercase=True)) for name in ("train.de.conllu.gz", "train.en.gz")]
    links = gzip.decompress((data / "peers" / "moses-tatoeba-de-en" / "aligned.gdfa.gz").read_bytes())
    for number in range(int(first), int(last)):
        for side, lines in zip(("source", "target"), sides, strict=True):
            with (folder / side).open("a", encoding="utf-8") as out:
                out.writelines(f"{renamed(line, number)}\n" for line in lines)
        with (folder / "links").open("ab") as out:
            out.write(links)
    return {"pairs": len(sides[0]) * int(last)}


def renamed(line: str, number: int) -> str:
    """The line in a copy; the first one is the corpus itself."""
    if number == 0:
        return line

    def copied(word: str) -> str:
        return word if zlib.crc32(f"{number} {word}".encode()) % RENAMED else f"{word}~{number}"

    return " ".join(map(copied, line.split(" ")))


def train(_: Path, folder: Path, system: str) -> dict[str, Any]:
    """Language model, rules, and the model folder, on one thread."""
    from graphmt.training import TrainOptions
    from graphmt.training import train as trained

    made = trained(
        system,
        source=folder / "source",
        target=folder / "target",
        alignment=folder / "links",
        out=folder / "model",
        overwrite=True,
        options=TrainOptions().on_threads(1),
    )
    sizes = [path.stat().st_size for path in (folder / "model").rglob("*") if path.is_file()]
    return {"cpu": time.process_time(), "rules": made.manifest.report["rules"], "model_mib": sum(sizes) >> 20}


def translate(data: Path, folder: Path) -> dict[str, Any]:
    """The first sentences of test, on one thread."""
    from graphmt.corpus import tokenised
    from graphmt.model import Model

    given = tokenised(data / "data" / "tatoeba-de-en" / "test.de.conllu.gz", lowercase=True)
    sentences = list(itertools.islice(given, SENTENCES))
    model = Model(folder / "model")
    began = time.process_time()
    model.translate(sentences, threads=1)
    return {"ms_a_sentence": 1e3 * (time.process_time() - began) / len(sentences)}


JOBS: dict[str, jobs.Job] = {job.__name__: job for job in (copy, train, translate)}


def plot(rows: list[dict[str, Any]], system: str, path: Path) -> None:
    """Time and memory of training against the number of pairs, relative to those of the first row."""
    from graphmt.draw.plot import Series, line_chart

    pairs = [row["pairs"] / 1e6 for row in rows]
    series = [
        Series(name, pairs, [row["train"][key] / rows[0]["train"][key] for row in rows])
        for name, key in (("CPU time", "cpu"), ("peak memory", "peak_mib"), ("size of the model", "model_mib"))
    ]
    title = f"Training {system}: growth with the corpus"
    path.write_text(
        line_chart(series, title=title, x_label="million sentence pairs", y_label="times Tatoeba"), encoding="utf-8"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--system", default="pbmt", help="a system that needs no trees")
    parser.add_argument("--multiples", type=int, nargs="+", default=MULTIPLES, help="sizes, in ascending order")
    parser.add_argument("--plot", type=Path, help="SVG file to draw the growth of training into")
    parser.add_argument("--job", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        jobs.do(JOBS, given.data, given.job)
        return
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:

        def measured(*job: str) -> dict[str, Any]:
            return jobs.measured(__file__, given.data, Path(scratch), *job)

        for before, multiple in itertools.pairwise([0, *given.multiples]):
            pairs = measured("copy", str(before), str(multiple))["pairs"]
            rows.append({"pairs": pairs, "train": measured("train", given.system), "translate": measured("translate")})
            print(rows[-1], flush=True)
    if given.plot:
        plot(rows, given.system, given.plot)
    print(json.dumps({"bench": "growth", "system": given.system, "rows": rows}))


if __name__ == "__main__":
    main()
