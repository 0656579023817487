"""Extreme inputs: time and memory of five systems for sentences of 1 to 5,000 words, and for odd ones.

Trains the systems on the demo corpus. Each input is translated in a process of its own, so that memory is its own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphmt import lm
from graphmt.corpus import Tree, read_trees
from graphmt.demo import DemoOptions
from graphmt.demo.corpus import DemoCorpus, write
from graphmt.draw.plot import Series, line_chart
from graphmt.errors import GraphmtError
from graphmt.lm import LmOptions
from graphmt.model import Model
from graphmt.rules import ExtractOptions
from graphmt.training import TrainOptions, train

SYSTEMS = ("pbmt", "gbmt-ctx", "hpb", "btg", "dgst")
LENGTHS = (1, 10, 30, 100, 300, 1000, 2000, 5000)


def trained(folder: Path, pairs: int) -> tuple[dict[str, Path], DemoCorpus]:
    """Models of the systems, with the demo corpus' own alignment."""
    corpus = write(folder / "corpus", DemoOptions(train=pairs, dev=0, test=0))
    links = folder / "links"
    rows = (" ".join(f"{i}-{j}" for i, j in sorted(pair.alignment)) for pair in corpus.train)
    links.write_text("".join(row + "\n" for row in rows), "utf-8")
    source, target = folder / "corpus" / "train.de.conllu", folder / "corpus" / "train.en"
    lowered = folder / "lowered"
    lowered.write_text(target.read_text("utf-8").lower(), "utf-8")
    lm.train([lowered], folder / "lm.bin", LmOptions(order=3))
    files = {"source": source, "target": target, "alignment": links, "language_model": folder / "lm.bin"}
    options = TrainOptions(extract=ExtractOptions(threads=1))
    for name in SYSTEMS:
        train(name, **files, out=folder / name, options=options)
    return {name: folder / name for name in SYSTEMS}, corpus


def long_tree(corpus: DemoCorpus, words: int) -> Tree:
    """Sentences of the corpus one after the other, each below the root of the one before, cut to so many words."""
    forms: list[str] = []
    heads: list[int] = []
    tags: list[str] = []
    for pair in itertools.cycle(corpus.train):
        at, last = len(forms), heads.index(-1) if heads else -1
        tree = pair.source
        heads += [last if head < 0 else head + at for head in tree.heads]
        forms += tree.forms
        tags += tree.upos
        if len(forms) >= words:
            break
    # A word whose head was cut off hangs on the first.
    kept = [head if head < words else 0 for head in heads[:words]]
    if -1 not in kept:
        kept[0] = -1
    return Tree(tuple(forms[:words]), tuple(kept), upos=tuple(tags[:words]))


def chain(words: list[str]) -> Tree:
    """Each word below the one before."""
    return Tree(tuple(words), tuple(range(-1, len(words) - 1)), upos=("NOUN",) * len(words))


def odd_inputs(folder: Path) -> Iterator[tuple[str, list[str | Tree]]]:
    """Inputs that no corpus has, by name."""
    yield "empty", [""]
    yield "a word of 100 kB", [chain(["ä" * 50_000])]
    yield "300 unknown words", [chain([f"wort{k}" for k in range(300)])]
    yield "right to left", [chain(["שלום", "עולם", "\u200fمرحبا\u200e", "\u202eabc\u202c"])]
    yield "NUL and U+2028", [chain(["a\0b", "c\u2028d", "\u0085", "\ufeff"])]
    heads = (("das", 0), ("Haus", 0), (".", 2))
    rows = (f"{k}\t{form}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for k, (form, head) in enumerate(heads, 1))
    (folder / "forest.conllu").write_text("".join(rows) + "\n", "utf-8")
    try:
        yield "several roots", list(read_trees(folder / "forest.conllu"))
    except GraphmtError as error:
        yield f"several roots ({type(error).__name__})", []


def measured(model: Path, trees: list[str | Tree]) -> dict[str, Any]:
    """Seconds, memory above that of the opened model in MiB, and how it ended."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        outcome = "crash"
        try:
            opened = Model(model)
            before, begun = _peak(), time.perf_counter()
            try:
                made = opened.translate(trees, threads=1)
                outcome = f"{sum(len(one.tokens) for one in made)} words"
            except GraphmtError as error:
                outcome = f"{type(error).__name__}: {error.message[:80]}"
            seconds, memory = time.perf_counter() - begun, _peak() - before
            found = {"seconds": round(seconds, 4), "mebibytes": round(memory, 1), "outcome": outcome}
            os.write(writing, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        content = stream.read()
    status = os.waitpid(pid, 0)[1]
    return json.loads(content) if content else {"outcome": f"died: {os.waitstatus_to_exitcode(status)}"}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def run(folder: Path, lengths: tuple[int, ...], pairs: int) -> dict[str, Any]:
    """All measurements: by system, of long sentences by words and of odd inputs by name."""
    models, corpus = trained(folder, pairs)
    long = {words: long_tree(corpus, words) for words in lengths}
    odd = dict(odd_inputs(folder))
    found: dict[str, Any] = {}
    for name, model in models.items():
        by_length = {words: measured(model, [tree]) for words, tree in long.items()}
        found[name] = {"lengths": by_length, "odd": {what: measured(model, trees) for what, trees in odd.items()}}
        for what, one in (*by_length.items(), *found[name]["odd"].items()):
            figures = f"{one.get('seconds', 0):8.3f} s {one.get('mebibytes', 0):8.1f} MiB"
            print(f"{name:9} {what:>22} {figures}  {one['outcome']}", flush=True)
    return found


def drawn(found: dict[str, Any], lengths: tuple[int, ...]) -> str:
    """Milliseconds a word against the length of a sentence."""
    series = []
    for name, of in found.items():
        # A refusal takes no time worth drawing.
        done = {words: one for words, one in of["lengths"].items() if one["outcome"].endswith(" words")}
        kept = [(words, 1000 * one["seconds"] / words) for words, one in done.items()]
        places = [float(lengths.index(words)) for words, _ in kept]
        series.append(Series(name, places, [milliseconds for _, milliseconds in kept]))
    names = [f"{words:,}" for words in lengths]
    title = "Time a word by the length of the sentence, one thread"
    return line_chart(series, title=title, x_label="words", y_label="ms a word", x_names=names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="not used: the systems are trained on the demo corpus")
    parser.add_argument("--longest", type=int, default=max(LENGTHS), help="words of the longest sentence")
    parser.add_argument("--pairs", type=int, default=2000, help="training pairs")
    parser.add_argument("--plot", type=Path, help="SVG file to draw time against length into")
    given = parser.parse_args()
    lengths = tuple(words for words in LENGTHS if words <= given.longest)
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), lengths, given.pairs)
    if given.plot:
        given.plot.write_text(drawn(found, lengths), encoding="utf-8")
    print(json.dumps({"bench": "extremes", "pairs": given.pairs, "systems": found}))


if __name__ == "__main__":
    main()
