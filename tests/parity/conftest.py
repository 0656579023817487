"""The comparison with Moses is shared with ``bench/parity.py``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from peers import moses


@pytest.fixture(scope="session")
def data(reference: Path) -> Path:
    """The reference data, with Moses' files and Multi30k in it."""
    for folder in (moses.peer(reference), moses.text(reference)):
        if not folder.is_dir():
            pytest.skip(f"needs {folder}")
    return reference
