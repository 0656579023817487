"""What the tests of the chart share: a language model, and a folder for tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from graphmt import _core
from graphmt.lm import LanguageModel, LmOptions, load


@pytest.fixture(scope="module")
def lm(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    """A trigram model of a few lines."""
    folder = tmp_path_factory.mktemp("lm")
    (folder / "text").write_text("A B C\nB A D A\nC C B\nA A B D\nD B A c\na B\n")
    options = LmOptions(order=3, max_memory=16, discount_fallback=True, threads=1)
    _core.lm_train([folder / "text"], folder / "lm.bin", options, arpa=False, temporary=folder)
    return load(folder / "lm.bin")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
