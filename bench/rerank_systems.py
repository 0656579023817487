"""Re-ranking lists of systems of ours with features from their training corpus.

Each system is trained on Tatoeba and tuned with MIRA on a third of the development set (``peers/own_lists.py``). The
other two thirds fit classifiers and weights: by nested cross-validation on them, and with ``--test`` once on the test
set, with three seeds of the tuner. ``--work`` keeps models and lists for further runs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from peers.folder import data_folder
from peers.gains import by_band, tell_bands
from peers.own_lists import SYSTEMS, OwnLists
from peers.reranked import Arm, CrossValidation, Memory, Part
from rerank_memory import ARMS, BANDED, SEEDS, SLOW, UNSEEDED, choices, figures, reverse, tell_gains

CORPUS = "tatoeba-de-en"
OWN: Arm = {"score": "score", "lowercase": True}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/ and peers/")
    parser.add_argument("--work", type=Path, help="folder that keeps models and lists; by default a temporary one")
    parser.add_argument("--system", choices=SYSTEMS, action="append", help="only this one; repeat for several")
    parser.add_argument("--folds", type=int, default=5, help="folds of cross-validation")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many seeds of the tuner")
    parser.add_argument("--quick", action="store_true", help=f"leave out {', '.join(SLOW)}")
    parser.add_argument("--test", action="store_true", help="score the test set as well")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(given, given.work or Path(folder))))


def measure(given: argparse.Namespace, work: Path) -> dict[str, object]:
    own, memory, seeds = OwnLists(given.data, CORPUS, work), Memory(given.data, CORPUS), SEEDS[: given.seeds]
    arms = {name: arm for name, arm in ARMS.items() if not (given.quick and name in SLOW)}
    answer: dict[str, object] = {}
    for system in given.system or SYSTEMS:
        dev, test = (
            Part.read(own.parts[part].source, own.parts[part].target, own.lists(system, part))
            for part in ("dev-rest", "test")
        )
        found: dict[str, object] = {}
        title = f"{system} dev, {given.folds} folds"
        validation = CrossValidation(memory, dev, OWN, given.folds)
        outputs = choices(title, dev, arms, seeds, validation.best, (*UNSEEDED, *SLOW))
        made = figures(dev, outputs)
        tell_gains(title, made)
        banded = {arm: outputs[arm][0] for arm in BANDED if arm in outputs}
        bands = by_band(dev, memory.best_matches(dev.sources), banded)
        tell_bands(title, bands)
        found["dev"] = {**made, "bands": bands}
        if given.test:
            title = f"{system} test"
            outputs = choices(title, test, arms, seeds, memory.fitted(dev, test, OWN).best)
            made = figures(test, outputs)
            tell_gains(title, made)
            banded = {arm: outputs[arm][0] for arm in BANDED if arm in outputs}
            bands = by_band(test, memory.best_matches(test.sources), banded)
            tell_bands(title, bands)
            found["test"] = {**made, "bands": bands}
            found["reverse"] = reverse(system, dev, test, memory, OWN)
        answer[system] = found
    return answer


if __name__ == "__main__":
    main()
