"""Re-ranking a Transformer's lists with features from its training corpus, beside other ways of re-ranking.

Development figures are by nested cross-validation: classifiers and weights are fitted to all folds but one and applied
to that one. They include each set of features without one of its groups. ``--test`` scores the test set once, with
everything fitted to the whole development set, compares by paired bootstrap, and shows where re-ranking helps by the
similarity of the nearest source in the memory. Language model and lexicon are those of the training corpus; its
alignment is the one in ``peers``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from peers.folder import data_folder
from peers.gains import Gains, by_band, tell_bands
from peers.reranked import Arm, CrossValidation, Memory, Part

CORPORA = ("tatoeba-de-en", "multi30k-de-en")
SEEDS = (1, 2, 3)
OWN: Arm = {"score": "LogProb", "lowercase": True}
ARMS: dict[str, Arm] = {
    "own tuned": {"features": "none", "tuner": "mira"},
    "mbr": {"method": "mbr-bleu"},
    "gc+lc": {"features": "gc,lc"},
    "memory": {"features": "memory"},
    "lm+lexicon": {"features": "lm,lexicon"},
    "all": {"features": "memory,lm,lexicon"},
}
#: Sets without one of the groups, on the development set only. Without memory they are lm+lexicon.
WITHOUT: dict[str, Arm] = {
    "without lm": {"features": "memory,lexicon"},
    "without lexicon": {"features": "memory,lm"},
}
#: No seed changes these arms.
UNSEEDED = ("own best", "mbr")
#: The slowest arms: one seed in cross-validation.
SLOW = ("gc+lc",)
#: The arms in the tables by similarity.
BANDED = ("own best", "mbr", "gc+lc", "all")

#: The choices of each arm, by seed.
Outputs = dict[str, list[list[str]]]


def read(data: Path, peer: str, name: str, part: str) -> Part:
    folder = data / "data" / name
    return Part.read(
        folder / f"{part}.de.conllu.gz",
        folder / f"{part}.en.gz",
        data / "peers" / peer / f"{name}.{part}.nbest.gz",
    )


def choices(
    title: str,
    part: Part,
    arms: dict[str, Arm],
    seeds: Sequence[int],
    best: Callable[[Arm, int], list[str]],
    one_seed: Collection[str] = UNSEEDED,
) -> Outputs:
    """What each arm chooses with each seed; prints BLEU."""
    outputs = {"own best": [part.own_best]}
    _tell(title, "own best", [part.bleu(part.own_best)], 0.0)
    for name, arm in arms.items():
        begun = time.process_time()
        outputs[name] = [best(arm, seed) for seed in (seeds[:1] if name in one_seed else seeds)]
        _tell(title, name, [part.bleu(texts) for texts in outputs[name]], time.process_time() - begun)
    return outputs


def figures(part: Part, outputs: Outputs) -> dict[str, object]:
    """BLEU of each arm, and the gains of all groups over the others, by seed."""
    gains = Gains(part)
    over = {
        name: [gains.gain(own[min(run, len(own) - 1)], texts) for run, texts in enumerate(outputs["all"])]
        for name, own in outputs.items()
        if name != "all"
    }
    return {"bleu": {name: [part.bleu(texts) for texts in own] for name, own in outputs.items()}, "gains": over}


def tell_gains(title: str, found: dict[str, object]) -> None:
    for name, runs in found["gains"].items():  # type: ignore[attr-defined]
        first = runs[0]
        print(
            f"{title}: all over {name}: {statistics.mean(run['gain'] for run in runs):+.2f} "
            f"(95 %: {first['low']:+.2f} to {first['high']:+.2f}), p at most {max(run['p'] for run in runs):.4f}",
            flush=True,
        )


def _tell(title: str, name: str, bleu: Sequence[float], seconds: float) -> None:
    each = " ".join(f"{one:.2f}" for one in bleu)
    print(f"{title}: {name:16} {statistics.mean(bleu):.2f} ({each}), {seconds:.0f} CPU seconds", flush=True)


def measure(
    data: Path,
    peer: str,
    name: str,
    folds: int,
    seeds: Sequence[int],
    *,
    arms: Collection[str] | None,
    dev: bool,
    test: bool,
) -> dict[str, object]:
    chosen = {name: arm for name, arm in ARMS.items() if arms is None or name in arms}
    without = WITHOUT if arms is None else {}
    begun = time.process_time()
    memory = Memory(data, name)
    known = read(data, peer, name, "dev")
    found: dict[str, object] = {"memory_cpu": time.process_time() - begun}
    if dev:
        title = f"{name} dev, {folds} folds"
        validation = CrossValidation(memory, known, OWN, folds)
        outputs = choices(title, known, {**chosen, **without}, seeds, validation.best, (*UNSEEDED, *SLOW))
        made = figures(known, outputs)
        tell_gains(title, made)
        bands = by_band(
            known, memory.best_matches(known.sources), {arm: outputs[arm][0] for arm in BANDED if arm in outputs}
        )
        tell_bands(title, bands)
        found["dev"] = {**made, "bands": bands}
    if test:
        title, asked = f"{name} test", read(data, peer, name, "test")
        begun = time.process_time()
        fit = memory.fitted(known, asked, OWN)
        cpu = time.process_time() - begun
        print(f"{title}: classifiers, and columns of dev and test: {cpu:.1f} CPU seconds", flush=True)
        outputs = choices(title, asked, chosen, seeds, fit.best)
        made = figures(asked, outputs)
        tell_gains(title, made)
        bands = by_band(
            asked, memory.best_matches(asked.sources), {arm: outputs[arm][0] for arm in BANDED if arm in outputs}
        )
        tell_bands(title, bands)
        found["test"] = {**made, "bands": bands, "fit_cpu": cpu}
        found["reverse"] = reverse(name, known, asked, memory, OWN)
    return found


def reverse(name: str, dev: Part, test: Part, memory: Memory, own: Arm) -> dict[str, float]:
    """Everything fitted to the test set and applied to the development set.

    Nothing is chosen by it. It shows the gain on the development set without cross-validation: if both agree, a test
    set with another gain differs in its sentences.
    """
    gain = Gains(dev).gain(dev.own_best, memory.fitted(test, dev, own).best(ARMS["all"]))
    print(
        f"{name} dev, fitted to test: all over own best: {gain['gain']:+.2f} "
        f"(95 %: {gain['low']:+.2f} to {gain['high']:+.2f})",
        flush=True,
    )
    return gain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--corpus", choices=CORPORA, action="append", help="only this one; repeat for several")
    parser.add_argument("--peer", default="transformer", help="folder of lists in peers/")
    parser.add_argument("--arm", choices=ARMS, action="append", help="only this one; repeat for several")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many seeds of the tuner")
    parser.add_argument("--folds", type=int, default=5, help="folds of cross-validation")
    parser.add_argument("--test", action="store_true", help="score the test sets as well")
    parser.add_argument("--only-test", action="store_true", help="score only the test sets")
    given = parser.parse_args()
    answer = {
        name: measure(
            given.data,
            given.peer,
            name,
            given.folds,
            SEEDS[: given.seeds],
            arms=given.arm,
            dev=not given.only_test,
            test=given.test or given.only_test,
        )
        for name in given.corpus or CORPORA
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
