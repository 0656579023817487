"""The record of a training run: which model it made."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from graphmt.model.layout import TUNING
from graphmt.model.manifest import FILE as MANIFEST
from graphmt.model.weights import FILE as WEIGHTS
from graphmt.training.record import TrainingRecord
from graphmt.tune.state import RESULT

REQUEST = {"system": "pbmt"}


def another_folder(model: Path) -> None:
    # The copy exists beside the model, so that it has another inode.
    shutil.copytree(model, model.with_name("copy"))
    shutil.rmtree(model)
    model.with_name("copy").rename(model)


def other_manifest(model: Path) -> None:
    (model / MANIFEST).write_text("other", "utf-8")


def other_weights(model: Path) -> None:
    (model / WEIGHTS).write_text("other", "utf-8")


def tuned(model: Path) -> None:
    other_weights(model)
    (model / TUNING / RESULT).parent.mkdir(parents=True, exist_ok=True)
    (model / TUNING / RESULT).write_text("done", "utf-8")


@pytest.mark.parametrize(
    ("change", "is_known"),
    [
        (lambda model: None, True),
        (another_folder, False),
        (other_manifest, False),
        (other_weights, False),
        # Tuning that was not finished writes its weights and its result.
        (tuned, True),
        (shutil.rmtree, False),
    ],
)
def test_a_model_is_known_by_its_folder_its_manifest_and_its_weights(
    tmp_path: Path, change: Callable[[Path], None], is_known: bool
) -> None:
    record, draft = TrainingRecord(tmp_path / "model"), tmp_path / "draft"
    assert record.published() is None
    draft.mkdir()
    for name in (MANIFEST, WEIGHTS):
        (draft / name).write_text(name, "utf-8")
    with record.working():
        record.publish(draft, REQUEST)
    assert record.published() is None
    draft.rename(record.model)
    change(record.model)
    assert record.published() == (REQUEST if is_known else None)
