"""What the tests of the chart share: a language model, and a folder for tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from graphmt import _core
from graphmt.lm import LanguageModel, load


@pytest.fixture(scope="module")
def lm(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    """A trigram model of a few lines."""
    folder = tmp_path_factory.mktemp("lm")
    (folder / "text").write_text("A B C\nB A D A\nC C B\nA A B D\nD B A c\na B\n")
    _core.lm_train(
        [str(folder / "text")],
        str(folder / "lm.bin"),
        arpa=False,
        order=3,
        memory=1 << 24,
        prune=[],
        discount_fallback=True,
        reserved_words="error",
        temporary=str(folder),
        threads=1,
    )
    return load(folder / "lm.bin")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
