"""A corpus in which words have more than one translation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from graphmt.lm import LmOptions
from graphmt.rules import ExtractOptions
from graphmt.selection import DwlOptions, GmOptions, LrsmOptions, OrderOptions, TsmOptions
from graphmt.training import train
from made_once import made_once
from small_models import Trained

SYSTEMS = ["pbmt", "gbmt-ctx", "hpb"]


@pytest.fixture(scope="session")
def two_ways(demo, tmp_path_factory) -> dict[str, Path]:
    """The demo corpus with the target words of every second sentence spelt another way: each word has two
    translations, and those of one spelling go together. Models of some systems, with and without lexical selection."""
    return made_once(tmp_path_factory, "two-ways", lambda folder: _two_ways(demo, folder))


def _two_ways(demo: Trained, folder: Path) -> dict[str, Path]:
    lines = demo.target.read_text("utf-8").splitlines()
    spelt = [line if k % 2 else " ".join(f"{word}x" for word in line.split()) for k, line in enumerate(lines)]
    (folder / "train.en").write_text("".join(f"{line}\n" for line in spelt), "utf-8")
    own = {
        # Its words go together as they come: whatever occurs together counts as related.
        "gm": GmOptions(lemmas=False, source_count=0, source_pmi=-20.0, dimensions=5, threads=1),
        "lrsm": LrsmOptions(occurrences=2, threads=1),
        "dwl": DwlOptions(occurrences=2, threads=1),
        "order": OrderOptions(occurrences=2, threads=1),
        "tsm": TsmOptions(topics=3, most_frequent=5, iterations=20, threads=1),
    }

    def made(name: str, out: str, selection: Sequence[str] = ()) -> None:
        chosen = {one: own[one] for one in selection}
        stages = {"lm": LmOptions(order=2), "extract": ExtractOptions(threads=1), **chosen}
        files = {"source": demo.source, "target": folder / "train.en", "alignment": demo.alignment}
        train(name, **files, out=folder / out, options=stages, selection=selection)

    for name in SYSTEMS:
        made(name, name)
        made(name, f"{name}+gm", ["gm"])
        made(name, f"{name}+all", ["tsm", "gm", "order", "dwl", "lrsm"])
    made("hpb", "hpb+tsm", ["tsm"])
    return {path.name: path for path in folder.iterdir() if path.is_dir()}
