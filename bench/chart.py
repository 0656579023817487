"""Speed and memory of the chart systems, one thread, in CPU seconds, beside Moses' hierarchical decoder.

Multi30k German to English with Moses' alignment; hpb and dgst with Moses' weights of its hierarchical system, btg with
the weights it starts from. Every measurement is a process of its own, so that memory is its own as well. Moses' figures
are those of peers/moses-multi30k-de-en/results.md; they were not measured in this run. Best scores with Moses' table
are compared in one process each. Time against sentence length is taken on test sentences put one behind the other.
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

#: Sentences per CPU second by pop limit, and resident memory.
MOSES = {"sentences": {"200": 18.6, "1000": 4.3}, "peak_mib": 572}
SYSTEMS = ("hpb", "dgst", "btg")
#: hpb with a table limited to the test set, as Moses' was when its memory was measured.
LIMITED = "hpb-limited"
POPS = (50, 200, 1000)
LENGTHS = (10, 20, 40, 60, 80, 100, 120, 140, 160)
#: Sentences of each length.
SENTENCES = 10


def prepare(data: Path, folder: Path) -> dict[str, Any]:
    """The models."""
    from graphmt.training import train
    from peers.moses import peer, text
    from peers.moses_hiero import WEIGHTS_HIERO

    found: dict[str, Any] = {}
    for name in SYSTEMS:
        began = time.process_time()
        weights = None if name == "btg" else WEIGHTS_HIERO
        source, target = text(data) / "train.de.conllu.gz", text(data) / "train.en.gz"
        made = train(
            name,
            source=source,
            target=target,
            out=folder / name,
            alignment=peer(data) / "aligned.gdfa.gz",
            weights=weights,
            overwrite=True,
        )
        found[name] = {"train_cpu": time.process_time() - began, "rules": made.manifest.report["rules"]}
    return found


def limit(data: Path, folder: Path, name: str) -> dict[str, Any]:
    """The model limited to what the test set can use, as Moses' was."""
    import shutil

    from graphmt.corpus import tokenised
    from graphmt.model.layout import RULES
    from graphmt.rules import filtered
    from peers.moses import text

    out = folder / f"{name}-limited"
    shutil.copytree(folder / name, out)
    sentences = tokenised(text(data) / "test.de.conllu.gz", lowercase=True)
    began = time.process_time()
    rules = filtered(folder / name / RULES, sentences, out / RULES)
    return {"rules": rules, "cpu": time.process_time() - began}


def decode(data: Path, folder: Path, name: str, pops: str) -> dict[str, Any]:
    """The test set: time to open apart, the translations' mean score."""
    from graphmt.corpus import read_trees
    from graphmt.model import Model, SearchOptions
    from peers.moses import text

    sentences = list(read_trees(text(data) / "test.de.conllu.gz"))
    began = time.perf_counter()
    model = Model(folder / name, search=SearchOptions(pop_limit=int(pops)))
    opened = time.perf_counter() - began
    began = time.process_time()
    best = model.translate(sentences, threads=1)
    cpu = time.process_time() - began
    score = sum(one.score for one in best) / len(best)
    return {"sentences": len(best) / cpu, "score": score, "open_ms": 1000 * opened}


def lengths(data: Path, folder: Path, name: str) -> dict[str, Any]:
    """CPU milliseconds a sentence by length, at the default limits."""
    from graphmt.corpus import Tree, read_trees
    from graphmt.model import Model
    from peers.moses import text

    words = itertools.cycle(read_trees(text(data) / "test.de.conllu.gz"))
    model = Model(folder / name)
    found = {}
    for length in LENGTHS:
        trees = []
        for _ in range(SENTENCES):
            tokens: list[str] = []
            heads: list[int] = []
            upos: list[str] = []
            while len(tokens) < length:
                tree = next(words)
                at = len(tokens)
                # The roots of further sentences hang on the first word of the whole.
                heads += [head + at if head >= 0 else (-1 if at == 0 else 0) for head in tree.heads]
                tokens += tree.tokens
                upos += tree.upos
            kept = _cut(heads[:length])
            trees.append(Tree(tuple(tokens[:length]), tuple(kept), upos=tuple(upos[:length])))
        began = time.process_time()
        model.translate(trees, threads=1)
        found[str(length)] = 1000 * (time.process_time() - began) / SENTENCES
    return {"milliseconds": found}


def _cut(heads: list[int]) -> list[int]:
    """Heads of a sentence that ends early: words whose head is cut off hang on the root, or on the first word."""
    root = next((word for word, head in enumerate(heads) if head == -1), None)
    for word, head in enumerate(heads):
        if head >= len(heads):
            if root is None:
                root, heads[word] = word, -1
            else:
                heads[word] = root
    return heads


def parity(data: Path, folder: Path, pops: str) -> dict[str, Any]:
    """Best scores on the parity set with Moses' table, beside Moses' at its pop limit of 1000."""
    from graphmt.model import SearchOptions
    from peers import moses_hiero

    model = folder / "moses-hiero"
    if not model.exists():
        moses_hiero.model(data, folder)
    found = moses_hiero.best_scores(data, model, SearchOptions(pop_limit=int(pops)))
    return {"score": found.mean, "moses": found.mean_theirs, "worse": len(found.worse), "better": found.better}


JOBS = {job.__name__: job for job in (prepare, limit, decode, lengths, parity)}


def measured(data: Path, folder: Path, *job: str) -> dict[str, Any]:
    """A job of this bench."""
    return jobs.measured(__file__, data, folder, *job)


def plot(figures: dict[str, Any], path: Path) -> None:
    """Time against length, drawn."""
    from graphmt.draw.plot import Series, line_chart

    series = [
        Series(name, [float(n) for n in made["milliseconds"]], list(made["milliseconds"].values()))
        for name, made in figures.items()
    ]
    title = "CPU milliseconds a sentence by number of words"
    path.write_text(line_chart(series, title=title, x_label="words", y_label="CPU ms"), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--pops", type=int, nargs="+", default=POPS, help="pop limits to measure")
    parser.add_argument("--plot", type=Path, help="SVG file to draw time against length into")
    parser.add_argument("--job", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        jobs.do(JOBS, arguments.data, arguments.job)
        return
    figures: dict[str, Any] = {"moses": MOSES, "parity": {}, "systems": {name: {} for name in SYSTEMS}, "lengths": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures["train"] = measured(arguments.data, folder, "prepare")
        figures["limited"] = measured(arguments.data, folder, "limit", "hpb")
        for system, pops in itertools.product((*SYSTEMS, LIMITED), arguments.pops):
            found = measured(arguments.data, folder, "decode", system, str(pops))
            figures["systems"].setdefault(system, {})[pops] = found
            theirs = MOSES["sentences"].get(str(pops)) if system.startswith("hpb") else None
            ratio = f" ({found['sentences'] / theirs:.1f} x Moses)" if theirs else ""
            print(
                f"{system:11} pops {pops:4}: {found['sentences']:6.1f} sentences / CPU s{ratio}, mean score "
                f"{found['score']:.4f}, opens in {found['open_ms']:.0f} ms, peak {found['peak_mib']} MiB",
                flush=True,
            )
        for pops in arguments.pops:
            figures["parity"][pops] = measured(arguments.data, folder, "parity", str(pops))
            print(f"parity, pops {pops}: {figures['parity'][pops]}", flush=True)
        for system in SYSTEMS:
            figures["lengths"][system] = measured(arguments.data, folder, "lengths", system)
            print(f"{system:11} {figures['lengths'][system]}", flush=True)
        if arguments.plot:
            plot(figures["lengths"], arguments.plot)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
