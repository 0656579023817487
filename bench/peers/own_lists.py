"""N-best lists of systems of ours, for benchmarks of re-ranking.

A system is trained on the training part of a corpus, with the word alignment in ``peers``. Every third sentence of the
development part tunes its weights, so that the other two thirds are as new to it as the test part.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from graphmt import lm
from graphmt.corpus import read_trees, tokenised, write_trees
from graphmt.lm import LmOptions
from graphmt.model import Model, SearchOptions, load_weights
from graphmt.storage.files import writing
from graphmt.training import SidesOptions, TrainOptions, train
from graphmt.tune import TuneOptions, tune_model

#: Every so many sentences of the development part, one tunes the system.
STEP = 3
N_BEST = 100
#: The systems with their search options, as the recipes of experiments have them.
SYSTEMS: dict[str, dict[str, Any]] = {"hpb": {"pop_limit": 100}, "btg": {"pop_limit": 100}, "gbmt-ctx": {}}


@dataclasses.dataclass(frozen=True)
class TextFiles:
    """The source and target side of a part of a corpus, the target in lower case."""

    source: Path
    target: Path


class OwnLists:
    """A folder with models and their lists; whatever exists already is not made again."""

    def __init__(self, data: Path, name: str, folder: Path) -> None:
        self.folder = folder
        given = data / "data" / name
        self.alignment = data / "peers" / f"moses-{name}" / "aligned.gdfa.gz"
        folder.mkdir(parents=True, exist_ok=True)
        self.parts = {
            part: TextFiles(given / f"{part}.de.conllu.gz", folder / f"{part}.en") for part in ("train", "dev", "test")
        }
        for part, files in self.parts.items():
            if not files.target.exists():
                with writing(files.target) as stream:
                    stream.writelines(f"{line}\n" for line in tokenised(given / f"{part}.en.gz", lowercase=True))
        self.parts |= self._divided(self.parts["dev"])
        self.lm = folder / "lm.bin"
        if not self.lm.exists():
            lm.train(self.parts["train"].target, self.lm, LmOptions())

    def _divided(self, dev: TextFiles) -> dict[str, TextFiles]:
        made = {part: TextFiles(self.folder / f"{part}.de.conllu", self.folder / f"{part}.en") for part in DIVIDED}
        trees, texts = list(read_trees(dev.source)), list(tokenised(dev.target))
        for part, files in made.items():
            chosen = [k for k in range(len(trees)) if (k % STEP == 0) == (part == "dev-tune")]
            write_trees(files.source, [trees[k] for k in chosen])
            with writing(files.target) as stream:
                stream.writelines(f"{texts[k]}\n" for k in chosen)
        return made

    def lists(self, system: str, part: str) -> Path:
        """The 100 best distinct translations of each sentence of ``dev-rest`` or ``test``."""
        path = self.folder / f"{system}.{part}.nbest.gz"
        if not path.exists():
            model = self.tuned(system)
            with writing(path) as stream:
                for number, best in enumerate(
                    model.n_best(list(read_trees(self.parts[part].source)), N_BEST, distinct=True)
                ):
                    stream.writelines(f"{one.as_moses(number)}\n" for one in best)
        return path

    def tuned(self, system: str) -> Model:
        """A trained and tuned model."""
        folder, weights = self.folder / system, self.folder / f"{system}.weights.toml"
        files = self.parts["train"]
        if not folder.exists():
            sides = SidesOptions(source_language="de", target_language="en", case="lower", tokenise=False)
            train(
                system,
                source=files.source,
                target=files.target,
                out=folder,
                alignment=self.alignment,
                language_model=self.lm,
                options=TrainOptions(sides=sides),
            )
        model = Model(folder, search=SearchOptions(**SYSTEMS[system]))
        if not weights.exists():
            own = self.parts["dev-tune"]
            tune_model(model, own.source, own.target, TuneOptions(tuner="mira", seed=1), out=weights)
        return model.reweighted(load_weights(weights, model.features))


#: The thirds of the development part that tune the system, and the others.
DIVIDED = ("dev-tune", "dev-rest")
