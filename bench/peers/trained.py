"""Models that benchmarks train, or find trained already."""

from __future__ import annotations

from pathlib import Path

from graphmt.training import train


def trained(system: str, corpus: Path, folder: Path) -> Path:
    """The folder of a German-English system's model, trained with default options unless it is there already."""
    path = folder / system
    if not path.exists():
        train(system, source=corpus / "train.de.conllu.gz", target=corpus / "train.en.gz", out=path)
    return path
