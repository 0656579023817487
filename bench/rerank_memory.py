"""Re-ranking a Transformer's lists with features from its training corpus, beside other ways of re-ranking.

Development figures are by two-fold cross-validation: classifiers and weights are fitted to one half and applied to the
other. They include each set of features without one of its groups. ``--test`` scores the test set once, with everything
fitted to the whole development set, and compares by paired bootstrap. Language model and lexicon are those of the
training corpus; its alignment is the one in ``peers``.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from graphmt import _core
from graphmt.consensus import Candidates, NBestList, RerankOptions, learn, make_memory, read_lists
from graphmt.consensus.candidates import weighted
from graphmt.consensus.learning import learn_weights
from graphmt.corpus import tokenised
from graphmt.evaluate.metrics import make_metrics
from graphmt.evaluate.options import EvaluateOptions
from graphmt.evaluate.significance import sacre_tests
from graphmt.evidence import EvidenceOptions
from graphmt.memory_features import FittedFeatures, GivenFiles, MemoryPairs, column_names, make_resources
from graphmt.tune import corpus_bleu
from peers.folder import data_folder

CORPORA = ("tatoeba-de-en", "multi30k-de-en")
SEEDS = (1, 2, 3)
GROUPS = ("memory", "lm", "lexicon")
OWN = {"score": "LogProb", "lowercase": True}
#: The arms: options of each.
ARMS: dict[str, dict[str, object]] = {
    "own tuned": {"features": "none", "tuner": "mira"},
    "mbr": {"method": "mbr-bleu"},
    "gc+lc": {"features": "gc,lc"},
    "memory": {"features": "memory"},
    "lm+lexicon": {"features": "lm,lexicon"},
    "all": {"features": "memory,lm,lexicon"},
}
#: Sets without one of the groups, on the development set only.
WITHOUT = {"without lm": "memory,lexicon", "without lexicon": "memory,lm"}
#: Arms that no seed changes.
UNSEEDED = ("mbr",)


@dataclasses.dataclass(frozen=True)
class Part:
    """A development or test set with its lists."""

    sources: list[str]
    lists: list[NBestList]
    references: list[list[str]]

    def chosen(self, numbers: Sequence[int]) -> Part:
        return Part(
            [self.sources[k] for k in numbers], [self.lists[k] for k in numbers], [self.references[k] for k in numbers]
        )


def read(data: Path, name: str, part: str) -> Part:
    folder = data / "data" / name
    return Part(
        list(tokenised(folder / f"{part}.de.conllu.gz", lowercase=True)),
        list(read_lists(data / "peers" / "transformer" / f"{name}.{part}.nbest.gz")),
        [[line] for line in tokenised(folder / f"{part}.en.gz", lowercase=True)],
    )


class Corpus:
    """A corpus with what its arms share."""

    def __init__(self, data: Path, name: str) -> None:
        folder = data / "data" / name
        sides = (tokenised(folder / file, lowercase=True) for file in ("train.de.conllu.gz", "train.en.gz"))
        pairs = MemoryPairs(zip(*sides, strict=True))
        files = GivenFiles(alignment=data / "peers" / f"moses-{name}" / "aligned.gdfa.gz")
        self.name, self.dev = name, read(data, name, "dev")
        self.memory = make_memory(pairs, RerankOptions(**OWN))  # type: ignore[arg-type]
        self.resources = make_resources(
            pairs, ("memory", "lm", "lexicon"), EvidenceOptions(), lowercase=True, files=files
        )

    def fitted(self, fitted: Part, asked: Part) -> Fitted:
        """The columns of all groups for two parts, by classifiers fitted to the first."""
        options = RerankOptions(**OWN)  # type: ignore[arg-type]
        known, new = (Candidates(part.sources, part.lists, self.memory, options) for part in (fitted, asked))
        made, columns = FittedFeatures.fit(GROUPS, self.resources, known.sentence_lists(fitted.references))
        return Fitted(self.memory, fitted, asked, made.names, columns, made.columns(new.sentence_lists()))


@dataclasses.dataclass(frozen=True)
class Fitted:
    """Two parts with their columns; the tuner's seed and the choice of groups do not change these."""

    memory: _core.TranslationMemory
    fitted: Part
    asked: Part
    names: tuple[str, ...]
    known: npt.NDArray[np.float64]
    new: npt.NDArray[np.float64]

    def best(self, arm: dict[str, object], seed: int) -> list[str]:
        """The choices of an arm for the second part, tuned on the first."""
        options = RerankOptions(**{**OWN, **arm, "seed": seed})  # type: ignore[arg-type]
        known, new = (Candidates(part.sources, part.lists, self.memory, options) for part in (self.fitted, self.asked))
        if not options.memory_groups:
            made = learn(known, self.fitted.references, options)
            return new.best(made.rank(new).scores)
        names = column_names(options.memory_groups)
        places = [self.names.index(name) for name in names]
        known, new = (
            part.with_columns(names, values[:, places]) for part, values in ((known, self.known), (new, self.new))
        )
        made = learn_weights(known, self.fitted.references, options, (1.0,))
        return new.best(weighted(new.values, new.features, made.stages[0]))


class CrossValidation:
    """Each half of the development set, with classifiers fitted to the other."""

    def __init__(self, corpus: Corpus) -> None:
        self.dev = corpus.dev
        numbers = range(len(self.dev.sources))
        self.halves = [[k for k in numbers if k % 2 == half] for half in (0, 1)]
        parts = [self.dev.chosen(half) for half in self.halves]
        self.fits = [corpus.fitted(parts[1 - half], parts[half]) for half in (0, 1)]

    def bleu(self, arm: dict[str, object], seed: int) -> float:
        chosen: dict[int, str] = {}
        for half, fit in zip(self.halves, self.fits, strict=True):
            chosen.update(zip(half, fit.best(arm, seed), strict=True))
        return corpus_bleu([chosen[k] for k in sorted(chosen)], self.dev.references)


def seeds_of(arm: str, seeds: Sequence[int]) -> Sequence[int]:
    return seeds[:1] if arm in UNSEEDED else seeds


def on_dev(corpus: Corpus, seeds: Sequence[int], tuner: str | None) -> dict[str, list[float]]:
    own = corpus_bleu([one.texts[0] for one in corpus.dev.lists], corpus.dev.references)
    found = {"own best": [own]}
    _tell(corpus.name, "dev", "own best", found["own best"])
    halves = CrossValidation(corpus)
    more: dict[str, dict[str, object]] = {name: {"features": features} for name, features in WITHOUT.items()}
    for name, arm in {**ARMS, **more}.items():
        if tuner and "method" not in arm:
            arm = {**arm, "tuner": tuner}
        begun = time.perf_counter()
        found[name] = [halves.bleu(arm, seed) for seed in seeds_of(name, seeds)]
        _tell(corpus.name, "dev", name, found[name], time.perf_counter() - begun)
    return found


def on_test(corpus: Corpus, test: Part, seeds: Sequence[int]) -> dict[str, object]:
    outputs = {"own best": [[one.texts[0] for one in test.lists]]}
    bleu: dict[str, list[float]] = {}
    fit = corpus.fitted(corpus.dev, test)
    for name, arm in ARMS.items():
        outputs[name] = [fit.best(arm, seed) for seed in seeds_of(name, seeds)]
    for name, texts in outputs.items():
        bleu[name] = [corpus_bleu(own, test.references) for own in texts]
        _tell(corpus.name, "test", name, bleu[name])
    return {"bleu": bleu, "p": p_values(outputs, test)}


def p_values(outputs: dict[str, list[list[str]]], test: Part) -> dict[str, list[float]]:
    """All groups against each other arm, by paired bootstrap, for each seed."""
    # Randomisation is not used.
    options = EvaluateOptions(metrics=("bleu",), tokenise="none", trials=10)
    metrics = make_metrics(options, [list(own) for own in zip(*test.references, strict=True)])
    found: dict[str, list[float]] = {}
    for name in (name for name in outputs if name != "all"):
        for run, texts in enumerate(outputs["all"]):
            base = outputs[name][min(run, len(outputs[name]) - 1)]
            tested = sacre_tests([(name, base), ("all", texts)], metrics, options)
            found.setdefault(f"all against {name}", []).append(tested["bootstrap"][metrics[0].name]["all"])
    return found


def _tell(corpus: str, part: str, name: str, bleu: Sequence[float], seconds: float | None = None) -> None:
    took = "" if seconds is None else f"  {seconds:.0f} s"
    each = " ".join(f"{one:.2f}" for one in bleu)
    print(f"{corpus} {part} {name:16} {statistics.mean(bleu):.2f} ({each}){took}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--corpus", choices=CORPORA, action="append", help="only this one; repeat for several")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many seeds of the tuner")
    parser.add_argument("--tuner", choices=("mert", "mira", "pro"), help="for all tuned arms; development set only")
    parser.add_argument("--test", action="store_true", help="score the test sets as well")
    given = parser.parse_args()
    seeds = SEEDS[: given.seeds]
    answer: dict[str, object] = {}
    for name in given.corpus or CORPORA:
        corpus = Corpus(given.data, name)
        found: dict[str, object] = {"dev": on_dev(corpus, seeds, given.tuner)}
        if given.test:
            found["test"] = on_test(corpus, read(given.data, name, "test"), seeds)
        answer[name] = found
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
