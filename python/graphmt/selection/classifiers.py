"""Training of models that are classifiers in one file: rule selection, and the word lexicon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphmt import _core
from graphmt.progress import phases
from graphmt.selection.base import Corpus
from graphmt.storage.temporary import temporary_folder


def train_classifiers(
    train: Callable[..., _core.ClassifierReport], corpus: Corpus, out: Path, options: Any
) -> dict[str, int]:
    """Train by a function of the core, and write the file whole or not at all; returns counts."""
    with temporary_folder(out.stem) as folder, phases() as report:
        made = train(corpus, out, options, folder=folder, progress=report)
    return {"pairs": made.pairs, "classifiers": made.classifiers, "weights": made.weights}
