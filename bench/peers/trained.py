"""Models that benchmarks train, or find trained already."""

from __future__ import annotations

import argparse
from pathlib import Path

from graphmt.training import train
from peers.folder import data_folder


def models_parser(description: str | None, *, systems: list[str], rounds: int) -> argparse.ArgumentParser:
    """The arguments of benches that measure trained systems in turns."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=data_folder, required=True, help="folder that holds data/")
    parser.add_argument("--corpus", default="multi30k-de-en")
    parser.add_argument("--models", type=Path, help="folder of trained models, to be used again")
    parser.add_argument("--systems", nargs="+", default=systems)
    parser.add_argument("--rounds", type=int, default=rounds)
    return parser


def trained(system: str, corpus: Path, folder: Path) -> Path:
    """The folder of a German-English system's model, trained with default options unless it is there already."""
    path = folder / system
    if not path.exists():
        train(system, source=corpus / "train.de.conllu.gz", target=corpus / "train.en.gz", out=path)
    return path
