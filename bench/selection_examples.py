"""Which words lexical selection (gm, lrsm, tsm) changes in translations, for the better and for the worse.

Each run of an arm of the experiment lexical-selection translates a part of the corpus twice, with its tuned weights and
with nothing for the weights of lexical selection. Where a content word is translated by other words, the change is for
the better when the reference has all the new words and not all the old ones, and for the worse the other way round.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from diagnosis.choices import CONTENT, Verdict, in_reference
from diagnosis.words import by_word
from graphmt.corpus import read_trees
from graphmt.experiments import RECIPES
from graphmt.experiments.corpora import find_corpus
from graphmt.experiments.corpus_run import CorpusRun
from graphmt.experiments.options import ExperimentOptions
from graphmt.experiments.tuner import tune
from graphmt.storage.files import lines
from graphmt.tune import corpus_bleu
from peers.folder import data_folder

RECIPE = RECIPES["lexical-selection"]
#: Source word, what it was translated with, what it is translated with.
Change = tuple[str, str, str]


def compare(
    run: CorpusRun, name: str, seed: int, part: str, counts: dict[str, Counter[Change]]
) -> tuple[Verdict, tuple[float, float]]:
    """Count the changes of one run; with BLEU without lexical selection and with it."""
    arm = RECIPE.arm(name)
    run.model(arm)
    run.tune(arm, seed)
    model = run.tuned(arm, seed)
    trees = list(read_trees(run.source[part]))
    references = [line.split() for line in lines(run.text[part])]
    silent = model.reweighted({feature: 0.0 for one in model.selection for feature in one.features})
    threads = run.options.threads
    made = [one.translate(trees, threads=threads) for one in (silent, model)]
    old, new = map(by_word, made)
    without, selected = (
        corpus_bleu([" ".join(one.tokens) for one in each], [[" ".join(line)] for line in references]) for each in made
    )
    both = [place for place in sorted(old.keys() & new.keys()) if trees[place[0]].upos[place[1]] in CONTENT]
    kinds: Counter[str] = Counter()
    right = 0
    for place in both:
        was, now = (in_reference(one[place], references[place[0]]) for one in (old, new))
        right += now
        if old[place] != new[place]:
            kind = "better" if now > was else "worse" if now < was else "neither"
            said = " ".join(old[place]) or "–", " ".join(new[place]) or "–"
            counts[kind][(trees[place[0]].tokens[place[1]], *said)] += 1
            kinds[kind] += 1
    return Verdict(len(both), kinds.total(), kinds["better"], kinds["worse"], right), (without, selected)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True)
    parser.add_argument("--corpus", action="append", help="Again for more than one; multi30k-de-en if none.")
    parser.add_argument("--out", type=Path, help="The folder of the experiment, where what was done is not done again.")
    parser.add_argument("--arm", action="append", help="Again for more than one; the paper's gm(pmi) if none.")
    parser.add_argument("--seeds", type=int, default=1, help="Tuning runs; the experiment has three.")
    parser.add_argument("--tuner", choices=("mira", "mert", "pro"), default=str(RECIPE.tuner))
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--most", type=int, default=8, help="Examples of a kind.")
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for corpus in asked.corpus or ["multi30k-de-en"]:
            options = ExperimentOptions(threads=asked.threads)
            files = find_corpus(asked.data / "data", corpus)
            run = CorpusRun(files, asked.out or Path(temporary), options, asked.tuner, tune)
            run.prepare()
            for name in asked.arm or ["hpb+gm(pmi)"]:
                counts: dict[str, Counter[Change]] = {kind: Counter() for kind in ("better", "worse", "neither")}
                rows = [compare(run, name, seed + 1, asked.part, counts) for seed in range(asked.seeds)]
                verdict = together([one for one, _ in rows])
                bleu = [sum(scores) / len(rows) for scores in zip(*(scores for _, scores in rows), strict=True)]
                show(f"{corpus}, {name}, {asked.part}", verdict, counts, asked.most)
                print(f"\nBLEU {bleu[0]:.2f} without, {bleu[1]:.2f} with.")
                found[f"{corpus} {name}"] = {**dataclasses.asdict(verdict), "p": verdict.p, "bleu": bleu}
    print(json.dumps({"bench": "selection_examples", "arms": found}))


def together(rows: Sequence[Verdict]) -> Verdict:
    """The sums over runs."""
    names = [field.name for field in dataclasses.fields(Verdict)]
    return Verdict(**{name: sum(getattr(one, name) for one in rows) for name in names})


def show(title: str, verdict: Verdict, counts: dict[str, Counter[Change]], most: int) -> None:
    """A table in Markdown, the most frequent changes of each kind."""
    print(f"\n{title}: {verdict.words:,} content words, {verdict.changed:,} changed,")
    print(f"{verdict.better} for the better, {verdict.worse} for the worse (p {verdict.p:.3f}).\n")
    print("| | word | without | with | times |\n|---|---|---|---|---|")
    for kind in ("better", "worse"):
        for (word, before, after), times in counts[kind].most_common(most):
            print(f"| {kind} | {word} | {before} | {after} | {times} |")


if __name__ == "__main__":
    main()
