"""A corpus so small that training on it takes no time."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_training import Tiny, write_tiny


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """A tiny corpus with alignment, language model, development set, and a model trained on it."""
    return write_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def model(tiny: Tiny, tmp_path: Path) -> Path:
    """A model, just trained."""
    tiny.train(tmp_path / "model")
    return tmp_path / "model"
