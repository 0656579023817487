"""Models of all systems, trained once on the demo corpus with its gold alignment."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from graphmt import lm
from graphmt.corpus import Tree, read_trees
from graphmt.demo import DemoOptions
from graphmt.demo.corpus import write
from graphmt.lm import LmOptions
from graphmt.model import Model, load
from graphmt.rules import ExtractOptions
from graphmt.systems import SYSTEMS
from graphmt.training import TrainOptions, train


@dataclasses.dataclass(frozen=True)
class Trained:
    """The corpus' files, and for each system its model folder."""

    source: Path
    target: Path
    alignment: Path
    lm: Path
    test: Path
    models: dict[str, Path]

    def trees(self) -> list[Tree]:
        return list(read_trees(self.test))

    def texts(self) -> list[str]:
        return [" ".join(tree.tokens) for tree in self.trees()]

    def load(self, name: str, **search: object) -> Model:
        return load(self.models[name], **search)

    def train(self, name: str, out: Path, *, source: Path | None = None, **extract: object) -> Model:
        options = TrainOptions(extract=ExtractOptions(threads=1, **extract))
        return train(
            name,
            source=source or self.source,
            target=self.target,
            alignment=self.alignment,
            language_model=self.lm,
            out=out,
            options=options,
        )


def trained(folder: Path) -> Trained:
    corpus = write(folder / "corpus", DemoOptions(train=500, dev=0, test=40))
    source, target = folder / "corpus" / "train.de.conllu", folder / "corpus" / "train.en"
    alignment = folder / "train.align"
    rows = (" ".join(f"{i}-{j}" for i, j in sorted(pair.alignment)) for pair in corpus.train)
    alignment.write_text("".join(row + "\n" for row in rows))
    lowered = folder / "train.lower.en"
    lowered.write_text(target.read_text("utf-8").lower(), "utf-8")
    lm.train([lowered], folder / "lm.bin", LmOptions(order=3))
    made = Trained(source, target, alignment, folder / "lm.bin", folder / "corpus" / "test.de.conllu", {})
    for name in SYSTEMS:
        made.train(name, folder / name)
        made.models[name] = folder / name
    return made
