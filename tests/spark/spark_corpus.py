"""The corpus of the tests, as files and as a DataFrame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmt.corpus import read_trees
from graphmt.spark.jobs import Stages
from graphmt.spark.reading import aligned_pairs, tree_texts
from small_models import Trained


class Corpus:
    """The first pairs of the demo corpus."""

    def __init__(self, demo: Trained, folder: Path, pairs: int) -> None:
        self.source, self.target, self.alignment = (folder / name for name in ("source", "target", "alignment"))
        self.trees = folder / "trees.conllu"
        tokens = [" ".join(tree.tokens) for tree in read_trees(demo.source)]
        texts = {
            self.source: tokens,
            self.target: demo.target.read_text("utf-8").splitlines(),
            self.alignment: demo.alignment.read_text("utf-8").splitlines(),
        }
        for path, lines in texts.items():
            path.write_text("".join(f"{line}\n" for line in lines[:pairs]), "utf-8")
        self.trees.write_text("".join(f"{tree}\n" for tree in list(tree_texts(demo.source))[:pairs]), "utf-8")

    def files(self) -> tuple[Path, Path, Path]:
        return self.source, self.target, self.alignment

    def frame(self, session: Any, folder: Path) -> Any:
        return aligned_pairs(Stages(session, folder, {}), *self.files(), self.trees)
