"""Whether collective lexical selection (gm) can help: what the walk chooses, judged by the references of dev.

For each content word in a translation graph the candidate with most evidence is compared with the most probable
translation p(t|s) of the word: the change is for the better when all words of the new candidate are in the reference
and those of the old one are not. Beside it: a candidate taken at random, what the decoder takes without gm, and the
share of words that have a right candidate at all. The gain is what ln evidence adds to ln p(t|s) in a log-linear model
of the right candidate, in thousandths of a nat for each word, estimated on one half of dev and measured on the other.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from diagnosis.choices import CONTENT, Choice, Verdict, at_best, by_chance, first, in_reference, judge
from diagnosis.mixture import gain
from diagnosis.words import by_word
from graphmt.corpus import TextSteps, read_trees
from graphmt.corpus.steps import process_file
from graphmt.experiments.corpora import find_corpus
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.recipe import Arm
from graphmt.experiments.recipes.hierarchical import CHART
from graphmt.experiments.tuner import tune
from graphmt.model import Model, SearchOptions, load_weights
from graphmt.selection import Corpus, GmOptions
from graphmt.selection.gm import FILE, GmWalk, open_gm, train_gm
from graphmt.storage.files import lines
from peers.folder import data_folder

ARM = Arm("hpb", "hpb", CHART)
OPTIONS = GmOptions(threads=1, dimensions=100)
#: Options are collected before the search, which need not find anything good.
QUICK = {"pop_limit": 5}
#: Walks by what a table says of them; the first two are the paper's.
WALKS: dict[str, dict[str, Any]] = {
    "lm": {"relatedness": "lm"},
    "pmi": {"relatedness": "pmi"},
    "lm, prior": {"relatedness": "lm", "prior": True},
    "pmi, prior": {"relatedness": "pmi", "prior": True},
    "lm, prior, keep": {"relatedness": "lm", "prior": True, "keep": True},
    "pmi, prior, keep": {"relatedness": "pmi", "prior": True, "keep": True},
    "embeddings, prior, keep": {"relatedness": "embeddings", "prior": True, "keep": True},
}
#: λ.
REALLOCATION = 0.15


class Diagnosis:
    """A corpus with a model of hpb, the statistics of gm, and the sentences of dev."""

    def __init__(self, run: CorpusRun, sentences: int, gm: Path, weights: Path | None) -> None:
        self.model = Model(run.folder / "models" / ARM.model, search=SearchOptions(**CHART))
        if weights is not None:
            self.model = self.model.reweighted(load_weights(weights, self.model.features))
        self.quick = Model(self.model.folder, search=SearchOptions(**{**CHART, **QUICK}))
        self.gm = open_gm(gm)
        self.trees = list(read_trees(run.source["dev"]))[:sentences]
        self.references = [line.split() for line in lines(run.text["dev"])][:sentences]
        self.prepared = self.model.prepare(self.trees)
        #: The candidates of the words in graphs, by sentence and position.
        self.candidates: dict[tuple[int, int], list[tuple[str, ...]]] = {}

    def content_words(self) -> float:
        """Content words of a sentence in the mean."""
        return float(np.mean([sum(tag in CONTENT for tag in tree.upos) for tree in self.trees]))

    def choices(self, relatedness: str, *, prior: bool = False, keep: bool = False) -> list[Choice]:
        """The words in graphs, with what a walk makes of their candidates."""
        walk = GmWalk(relatedness, prior, keep, REALLOCATION)
        made = []
        for number, (prepared, reference) in enumerate(zip(self.prepared, self.references, strict=True)):
            for graph in self.gm.graphs(self.quick.decoder, prepared, walk, edges=False):
                for word in graph.words:
                    candidates = word.candidates
                    texts = [tuple(one.words) for one in candidates]
                    self.candidates[number, word.position] = texts
                    right = np.array([in_reference(words, reference) for words in texts])
                    values = np.array([(one.association, one.probability) for one in candidates])
                    made.append(Choice(number, word.position, right, values[:, 0], values[:, 1]))
        return made

    def decoded(self, threads: int) -> dict[tuple[int, int], int]:
        """The candidate that the decoder takes for each word in a graph."""
        found = by_word(self.model.translate(self.trees, threads=threads))
        return {
            place: self.candidates[place].index(words)
            for place, words in found.items()
            if words in self.candidates.get(place, [])
        }


def prepare(data: Path, out: Path, name: str, threads: int) -> tuple[CorpusRun, Path]:
    """Text, alignment, language model and model of hpb (or what an earlier call left), and gm's counts' folder."""
    run = CorpusRun(find_corpus(data / "data", name), out, ExperimentOptions(threads=threads), "mert", tune)
    run.prepare()
    run.model(ARM)
    source, target = (TextSteps.load(run.folder / "models" / ARM.model / side) for side in ("source", "target"))
    text, gm = run.folder / "text" / f"train.{run.files.source_language}.gz", run.folder / FILE
    process_file(run.source["train"], text, source)
    train_gm(Corpus(text, run.text["train"], run.alignment, run.source["train"], source, target), gm, OPTIONS)
    return run, gm.parent


def row(verdict: Verdict) -> dict[str, Any]:
    """A verdict as figures."""
    found = dataclasses.asdict(verdict)
    return {**found, "right": verdict.right / verdict.words, "p": verdict.p}


def diagnose(made: Diagnosis, threads: int) -> dict[str, Any]:
    """The figures of one corpus."""
    choices = made.choices("lm")
    decoded = made.decoded(threads)
    walks: dict[str, Any] = {}
    for name, walk in WALKS.items():
        choices = made.choices(**walk)
        walks[name] = row(judge(choices, lambda one: first(one.probability)))
        walks[name]["gain"], walks[name]["weight"] = gain(choices)
    return {
        "sentences": len(made.trees),
        "content": made.content_words(),
        "in_graphs": len(choices) / len(made.trees),
        "candidates": float(np.mean([len(one.right) for one in choices])),
        "random": by_chance(choices),
        "possible": at_best(choices),
        "frequency": row(judge(choices, lambda one: None)),
        "decoder": row(judge(choices, lambda one: decoded.get((one.sentence, one.position)))),
        "walks": walks,
    }


def show(name: str, found: dict[str, Any]) -> None:
    """A table in Markdown."""
    words, graphs = f"{found['content']:.1f}", f"{found['in_graphs']:.1f}"
    print(f"\n{name}: {found['sentences']:,} sentences; {graphs} of {words} content words are in graphs,")
    print(f"with {found['candidates']:.1f} candidates each; {found['possible']:.1%} of them have a right one.\n")
    print("| choice | changed | better | worse | p | right | gain |\n|---|---|---|---|---|---|---|")
    print(f"| at random | | | | | {found['random']:.1%} | |")
    rows = {"p(t\\|s)": found["frequency"], "the decoder without gm": found["decoder"], **found["walks"]}
    for label, one in rows.items():
        changed = f"{one['changed']} | {one['better']} | {one['worse']} | {one['p']:.3f}"
        added = f"{1000 * one['gain']:+.1f}" if "gain" in one else ""
        print(f"| {label} | {changed} | {one['right']:.1%} | {added} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True)
    parser.add_argument("--corpus", action="append", help="Again for more than one; multi30k-de-en if none.")
    parser.add_argument("--out", type=Path, help="A folder in which models are kept, or were: an experiment's, say.")
    parser.add_argument("--sentences", type=int, default=10_000, help="The first sentences of dev.")
    parser.add_argument("--weights", type=Path, help="Weights of hpb within OUT/CORPUS, for the decoder's choice.")
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name in asked.corpus or ["multi30k-de-en"]:
            run, gm = prepare(asked.data, asked.out or Path(temporary), name, asked.threads)
            weights = None if asked.weights is None else run.folder / asked.weights
            found[name] = diagnose(Diagnosis(run, asked.sentences, gm, weights), asked.threads)
            show(name, found[name])
    print(json.dumps({"bench": "selection_diagnosis", "corpora": found}))


if __name__ == "__main__":
    main()
