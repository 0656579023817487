"""Re-ranking a Transformer's lists with neighbours by vectors beside those by edit distance.

The vectors need no network: latent semantic analysis of the training corpus. A document is a training pair, its terms
are the words of both sides, so that source words with the same translations get similar vectors; new sentences are
folded in by their source words. Development figures are by nested cross-validation, as in ``rerank_memory.py``, with
the same seeds. There are none of the test set, unless ``--test`` is given.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from graphmt.corpus import tokenised
from graphmt.evidence import MemoryVectors
from numpy.typing import NDArray
from peers.folder import data_folder
from peers.gains import Gains
from peers.reranked import Arm, CrossValidation, Memory, Part
from rerank_memory import CORPORA, OWN, SEEDS, read
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

ARMS: dict[str, Arm] = {"memory": {"features": "memory"}, "all": {"features": "memory,lm,lexicon"}}
#: Words in fewer pairs are left out.
RARE = 2


class SemanticVectors:
    """Vectors of source sentences, trained on pairs."""

    def __init__(self, pairs: Sequence[tuple[str, str]], size: int) -> None:
        self.terms = TfidfVectorizer(analyzer=str.split, min_df=RARE, sublinear_tf=True)
        weights = self.terms.fit_transform(f"{_marked(source)} {target}" for source, target in pairs)
        self.space = TruncatedSVD(size, n_iter=3, random_state=1).fit(weights)

    def of(self, sources: Iterable[str]) -> NDArray[np.float32]:
        return self.space.transform(self.terms.transform(map(_marked, sources))).astype(np.float32)


def _marked(source: str) -> str:
    """The words of a source, told apart from those of the target."""
    return " ".join(f"{word}@source" for word in source.split())


def with_vectors(memory: Memory, vectors: NDArray[np.float32]) -> Memory:
    made = object.__new__(Memory)
    made.similar, made.resources = memory.similar, dataclasses.replace(memory.resources, vectors=MemoryVectors(vectors))
    return made


def measure(data: Path, name: str, size: int, folds: int, seeds: Sequence[int], *, test: bool) -> dict[str, object]:
    folder = data / "data" / name
    sides = (tokenised(folder / file, lowercase=True) for file in ("train.de.conllu.gz", "train.en.gz"))
    pairs = list(zip(*sides, strict=True))
    memory, dev = Memory(data, name), read(data, name, "dev")
    begun = time.process_time()
    semantic = SemanticVectors(pairs, size)
    matrix = semantic.of(source for source, _ in pairs)
    print(f"{name}: vectors of {len(pairs):,} pairs: {time.process_time() - begun:.0f} CPU seconds", flush=True)
    near = with_vectors(memory, matrix)
    found: dict[str, object] = {}
    validations = {
        "": CrossValidation(memory, dev, OWN, folds),
        " and vectors": CrossValidation(near, _encoded(dev, semantic), OWN, folds),
    }
    found["dev"] = compared(f"{name} dev, {folds} folds", dev, validations, seeds)
    if test:
        asked = read(data, name, "test")
        fits = {
            "": memory.fitted(dev, asked, OWN),
            " and vectors": near.fitted(_encoded(dev, semantic), _encoded(asked, semantic), OWN),
        }
        found["test"] = compared(f"{name} test", asked, fits, seeds)
    return found


def _encoded(part: Part, semantic: SemanticVectors) -> Part:
    return dataclasses.replace(part, vectors=semantic.of(part.sources))


def compared(title: str, part: Part, ways: dict[str, object], seeds: Sequence[int]) -> dict[str, object]:
    """BLEU without and with vectors, and the gain by seed."""
    gains, found = Gains(part), {}
    for name, arm in ARMS.items():
        outputs = {added: [way.best(arm, seed) for seed in seeds] for added, way in ways.items()}  # type: ignore[attr-defined]
        for added, runs in outputs.items():
            found[name + added] = bleu = [part.bleu(texts) for texts in runs]
            print(f"{title}: {name + added:20} {statistics.mean(bleu):.2f}", flush=True)
        found[f"{name}: gain"] = each = [
            gains.gain(without, new) for without, new in zip(outputs[""], outputs[" and vectors"], strict=True)
        ]
        print(
            f"{title}: vectors beside {name}: {statistics.mean(one['gain'] for one in each):+.2f} (95 %: "
            f"{each[0]['low']:+.2f} to {each[0]['high']:+.2f}), p at least {min(one['p'] for one in each):.4f}",
            flush=True,
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--corpus", choices=CORPORA, action="append", help="only this one; repeat for several")
    parser.add_argument("--size", type=int, default=100, help="values of a vector")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many seeds of the tuner")
    parser.add_argument("--folds", type=int, default=5, help="folds of cross-validation")
    parser.add_argument("--test", action="store_true", help="score the test sets as well")
    given = parser.parse_args()
    answer = {
        name: measure(given.data, name, given.size, given.folds, SEEDS[: given.seeds], test=given.test)
        for name in given.corpus or CORPORA
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
