"""A model of strings of a user interface, trained once from raw text."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphmt.model import Model
from graphmt.training import train
from ui_strings import pairs


@pytest.fixture(scope="session")
def ui_model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder: Path = tmp_path_factory.mktemp("ui")
    sides = list(zip(*pairs(), strict=True))
    for name, lines in zip(("train.en", "train.de"), sides, strict=True):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    options = {
        "sides": {"source_language": "en", "target_language": "de", "tokenise": True, "case": "true"},
        "lm": {"order": 3},
        "extract": {"threads": 1},
        "align": {"model": "hmm"},
    }
    return train("pbmt", source=folder / "train.en", target=folder / "train.de", out=folder / "ui", options=options)
