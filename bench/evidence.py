"""Memory n-gram posteriors: CPU seconds and memory for a large memory, and BLEU of re-ranked Transformer lists.

The large memory has a million pairs: those of Tatoeba, each again and again with one word exchanged. Its lists are
those of the Transformer for 1,000 development sentences, filled up to 100 candidates by dropping a word.

BLEU is that of the development set by two-fold cross-validation: classifiers and weights are fitted to one half and
applied to the other. ``--test`` adds the test set, with classifiers and weights fitted to the whole development set.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
from graphmt.consensus import read_lists
from graphmt.corpus import tokenised
from graphmt.evidence import FEATURES, EvidenceOptions, NgramPosteriors, SentenceLists, make_index
from graphmt.evidence.posteriors import make_rows
from graphmt.progress import set_quiet
from graphmt.tune import NBest, TuneOptions, corpus_bleu, optimise
from peers.folder import data_folder

PAIRS, LISTS, CANDIDATES = 1_000_000, 1_000, 100
OWN = ("LogProb", "Length", "words")
TUNING = TuneOptions(tuner="mira", seed=1)
Values = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Corpus:
    """A development or test set with its n-best lists."""

    lists: SentenceLists
    #: The columns :data:`OWN` of each list.
    own: list[Values]

    @property
    def references(self) -> list[list[str]]:
        return [list(own) for own in self.lists.references or ()]

    def part(self, chosen: Sequence[int]) -> Corpus:
        def of(column: Sequence) -> list:
            return [column[sentence] for sentence in chosen]

        given = self.lists
        lists = SentenceLists(
            of(given.sources), of(given.candidates), of(given.log_probabilities or ()), of(given.references or ())
        )
        return Corpus(lists, of(self.own))


def train(folder: Path) -> list[tuple[str, str]]:
    sides = (tokenised(folder / name, lowercase=True) for name in ("train.de.conllu.gz", "train.en.gz"))
    return list(zip(*sides, strict=True))


def read(data: Path, name: str, part: str) -> Corpus:
    folder = data / "data" / name
    sources = list(tokenised(folder / f"{part}.de.conllu.gz", lowercase=True))
    references = [[line] for line in tokenised(folder / f"{part}.en.gz", lowercase=True)]
    candidates, scores, own = [], [], []
    for given in read_lists(data / "peers" / "transformer" / f"{name}.{part}.nbest.gz"):
        columns = dict(zip(given.features, given.values.T, strict=True))
        candidates.append(list(given.texts))
        scores.append(columns["LogProb"].tolist())
        words = [len(text.split()) for text in given.texts]
        own.append(np.column_stack([columns["LogProb"], columns["Length"], words]))
    return Corpus(SentenceLists(sources, candidates, scores, references), own)


class Reranked:
    """Lists with columns of features, as the tuner takes them."""

    def __init__(self, texts: Sequence[Sequence[str]], values: Sequence[Values], names: Sequence[str]) -> None:
        self.texts, self.values = texts, values
        self.features = {name: 1.0 if name == "LogProb" else 0.0 for name in names}
        numbers: dict[str, int] = {}
        self.numbers = [
            [[numbers.setdefault(word, len(numbers)) for word in text.split()] for text in own] for own in texts
        ]
        self.words = list(numbers)

    def scores(self, weights: Mapping[str, float]) -> list[Values]:
        vector = np.array([weights[name] for name in self.features])
        return [own @ vector for own in self.values]

    def best(self, weights: Mapping[str, float]) -> list[str]:
        return [own[int(s.argmax())] for own, s in zip(self.texts, self.scores(weights), strict=True)]

    def decode(self, weights: Mapping[str, float]) -> NBest:
        orders = [np.argsort(-scores, kind="stable") for scores in self.scores(weights)]
        rows = [own[k] for own, order in zip(self.numbers, orders, strict=True) for k in order]
        values = [own[order] for own, order in zip(self.values, orders, strict=True)]
        return NBest(
            np.cumsum([0, *map(len, self.numbers)]).astype(np.uint32),
            np.cumsum([0, *map(len, rows)]).astype(np.uint32),
            np.array([number for row in rows for number in row], dtype=np.uint32),
            self.words,
            np.vstack(values).astype(np.float32),
        )


def split(features: npt.NDArray[np.float32], corpus: Corpus) -> list[Values]:
    ends = np.cumsum([len(own) for own in corpus.own])[:-1]
    return [own.astype(np.float64) for own in np.split(features, ends)]


def joined(one: Sequence[Values], other: Sequence[Values]) -> list[Values]:
    return [np.hstack(pair) for pair in zip(one, other, strict=True)]


def reranked(
    fitted: tuple[Corpus, list[Values]], asked: tuple[Corpus, list[Values]], names: Sequence[str]
) -> list[str]:
    """The best candidates of a corpus with weights tuned on another, over columns of unit variance within lists."""
    deviations = np.vstack([own - own.mean(axis=0) for own in fitted[1]])
    scale = deviations.std(axis=0)
    scale[scale == 0] = 1.0
    known, new = (
        Reranked(corpus.lists.candidates, [own / scale for own in values], names) for corpus, values in (fitted, asked)
    )
    references = [[line.split() for line in lines] for lines in fitted[0].references]
    return new.best(optimise(known, references, TUNING, fixed=()).weights)


def arms(index, fitted: Corpus, asked: Corpus) -> dict[str, list[str]]:
    """What each way of re-ranking chooses for a corpus, after fitting to another."""
    found = {"own best": [own[0] for own in asked.lists.candidates]}
    found["own tuned"] = reranked((fitted, fitted.own), (asked, asked.own), OWN)
    for classifier in ("lr", "gb"):
        options = EvidenceOptions(classifier=classifier)
        posteriors, features = NgramPosteriors.fit(index, fitted.lists, options)
        new = posteriors.candidate_features(asked.lists)
        known = (fitted, joined(fitted.own, split(features, fitted)))
        found[classifier] = reranked(known, (asked, joined(asked.own, split(new, asked))), (*OWN, *FEATURES))
    return found


def quality(data: Path, name: str, with_test: bool) -> dict[str, object]:
    dev = read(data, name, "dev")
    begun = time.process_time()
    index = make_index(train(data / "data" / name))
    made = time.process_time()
    rows = make_rows(index, dev.lists, EvidenceOptions())
    done = time.process_time()
    number = sum(len(rows.ngrams(order)) for order in (1, 2, 3, 4))
    seconds = {"index": made - begun, "rows": done - made}
    for classifier in ("lr", "gb"):
        begun = time.process_time()
        NgramPosteriors.fit(index, dev.lists, EvidenceOptions(classifier=classifier))
        seconds[f"fit {classifier}"] = time.process_time() - begun - seconds["rows"]
    told = ", ".join(f"{what} {value:.1f}" for what, value in seconds.items())
    print(f"{name}: {len(index):,} pairs, {number:,} rows; CPU seconds: {told}", flush=True)
    everything = range(len(dev.own))
    halves = [[sentence for sentence in everything if sentence % 2 == half] for half in (0, 1)]
    chosen: dict[str, dict[int, str]] = {}
    for half in (0, 1):
        for arm, texts in arms(index, dev.part(halves[1 - half]), dev.part(halves[half])).items():
            chosen.setdefault(arm, {}).update(zip(halves[half], texts, strict=True))
    bleu: dict[str, dict[str, float]] = {"dev": {}}
    for arm, texts in chosen.items():
        bleu["dev"][arm] = corpus_bleu([texts[sentence] for sentence in everything], dev.references)
        print(f"{name}: dev, two-fold: {arm:10} BLEU {bleu['dev'][arm]:.2f}", flush=True)
    if with_test:
        test = read(data, name, "test")
        found = arms(index, dev, test)
        bleu["test"] = {arm: corpus_bleu(texts, test.references) for arm, texts in found.items()}
        for arm, value in bleu["test"].items():
            print(f"{name}: test: {arm:10} BLEU {value:.2f}", flush=True)
    return {"cpu": seconds, "rows": number, "bleu": bleu}


def varied(pairs: list[tuple[str, str]], number: int) -> Iterator[tuple[str, str]]:
    """The pairs, then again with a source word exchanged for one of another sentence."""
    chance = random.Random(1)
    yield from pairs[:number]
    for _ in range(number - len(pairs)):
        source, target = chance.choice(pairs)
        words, others = source.split(), chance.choice(pairs)[0].split()
        if words and others:
            words[chance.randrange(len(words))] = chance.choice(others)
        yield " ".join(words), target


def filled(texts: list[str], scores: list[float]) -> tuple[list[str], list[float]]:
    texts, scores, given = list(texts), list(scores), len(texts)
    for k in range(CANDIDATES - given):
        words = texts[k % given].split()
        texts.append(" ".join(words[: k % max(1, len(words))] + words[k % max(1, len(words)) + 1 :]))
        scores.append(scores[k % given])
    return texts[:CANDIDATES], scores[:CANDIDATES]


def large(data: Path, number: int) -> None:
    """In a process of its own, so that the peak of memory is its own."""
    pairs = list(varied(train(data / "data" / "tatoeba-de-en"), number))
    given = read(data, "tatoeba-de-en", "dev").lists
    both = [
        filled(list(texts), list(scores))
        for texts, scores in islice(zip(given.candidates, given.log_probabilities or (), strict=True), LISTS)
    ]
    lists = SentenceLists(given.sources[:LISTS], [texts for texts, _ in both], [scores for _, scores in both])
    before = resource.getrusage(resource.RUSAGE_SELF)
    begun, started = time.process_time(), time.perf_counter()
    index = make_index(pairs)
    made, indexed = time.process_time(), time.perf_counter()
    after = resource.getrusage(resource.RUSAGE_SELF)
    rows = make_rows(index, lists, EvidenceOptions())
    done, ended = time.process_time(), time.perf_counter()
    answer = {
        "pairs": len(index),
        "words": sum(len(source.split()) + len(target.split()) for source, target in pairs),
        "index_cpu": made - begun,
        "index_wall": indexed - started,
        "pairs_mb": before.ru_maxrss / 1024,
        "peak_mb": after.ru_maxrss / 1024,
        "lists": len(rows),
        "rows": sum(int(rows.starts(order)[-1]) for order in (1, 2, 3, 4)),
        "rows_cpu": done - made,
        "rows_wall": ended - indexed,
    }
    print(json.dumps(answer))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="pairs of the large memory")
    parser.add_argument("--test", action="store_true", help="score the test sets as well")
    parser.add_argument("--large-alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    set_quiet(True)
    if given.large_alone:
        large(given.data, given.pairs)
        return
    command = [sys.executable, __file__, "--data", str(given.data), "--pairs", str(given.pairs), "--large-alone"]
    big = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(
        f"{big['pairs']:,} pairs, {big['words']:,} words: indexed in {big['index_cpu']:.1f} CPU seconds, "
        f"{big['peak_mb'] - big['pairs_mb']:.0f} MB at most; {big['rows']:,} rows of {big['lists']:,} x {CANDIDATES} "
        f"candidates in {big['rows_cpu']:.1f} CPU seconds",
        flush=True,
    )
    each = {name: quality(given.data, name, given.test) for name in ("tatoeba-de-en", "multi30k-de-en")}
    print(json.dumps({"large": big, "quality": each}))


if __name__ == "__main__":
    main()
