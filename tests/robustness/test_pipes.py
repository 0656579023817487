"""Pipes and devices where a file is read more than once: an error at once, where opening would wait for ever."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from graphmt.align import TrainedAligner
from graphmt.consensus import Reranker
from graphmt.errors import InputError
from graphmt.evidence import read_vectors
from graphmt.lm import load as load_lm
from graphmt.model import Model
from graphmt.rules import RuleTable
from graphmt.storage.files import digest, identity
from graphmt.training import train

from fuzz.readers.models import model_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")

FILES = ["manifest.json", "weights.toml", "rules.bin", "lm.bin", "gm.bin", "gm-vectors.npy", "topics.npz", "tsm.bin"]


@pytest.mark.parametrize("name", [*FILES, "source/text.json"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_model_with_a_pipe_or_device(tmp_path: Path, name: str, kind: str) -> None:
    folder = model_folder(tmp_path, "hpb", selection=True)
    (folder / name).unlink()
    os.mkfifo(folder / name) if kind == "pipe" else (folder / name).symlink_to("/dev/zero")
    with pytest.raises(InputError, match=rf"{name}: a pipe or device"):
        Model(folder)


def test_other_files_that_are_read_more_than_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "text").write_text("a b\n", "utf-8")
    folder = model_folder(tmp_path, "hpb")
    os.mkfifo(tmp_path / "aligner.json")
    sides = {"source": tmp_path / "text", "target": tmp_path / "text", "out": tmp_path / "out"}
    for use in (
        lambda: Model(folder, weights=pipe),
        lambda: train("pbmt", **sides, alignment=pipe),
        lambda: train("pbmt", **sides, language_model=pipe),
        lambda: train("pbmt", **{**sides, "target": pipe}),
        lambda: RuleTable(pipe),
        lambda: load_lm(pipe),
        lambda: read_vectors(pipe),
        lambda: Reranker.load(pipe),
        lambda: TrainedAligner(tmp_path),
        lambda: digest(pipe),
        lambda: identity(pipe),
    ):
        with pytest.raises(InputError, match="a pipe or device"):
            use()
    assert not (tmp_path / "out").exists()
