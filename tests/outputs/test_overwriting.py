"""Nothing that a user has is replaced unasked."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from graphmt.align import AlignOptions, read_alignment, step
from graphmt.align.step import Outputs, align_files
from graphmt.cli import app
from graphmt.demo.tour import tour
from graphmt.errors import InputError
from graphmt.experiments import RECIPES, run
from graphmt.model import Model
from graphmt.storage.folders import writing_folder
from graphmt.training import steps, train
from graphmt.tune import tune_model
from tiny_training import TUNE, Tiny, content, names
from typer.testing import CliRunner


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training that begins to work fails."""

    def work(*_: object) -> None:
        raise AssertionError("work was begun")

    monkeypatch.setattr(steps.Run, "texts", work)


def test_a_model_is_not_replaced_unasked(tiny: Tiny, model: Path, idle: None) -> None:
    before = content(model)
    with pytest.raises(InputError, match=r"model: exists already\. .*--overwrite \(overwrite=True\)"):
        tiny.train(model)
    done = CliRunner().invoke(app, tiny.command(model))
    assert isinstance(done.exception, InputError) and "--overwrite" in str(done.exception)
    assert content(model) == before and names(model.parent) == ["model"]


def test_overwriting_keeps_what_is_not_the_models(tiny: Tiny, model: Path) -> None:
    tune_model(model, *tiny.dev, TUNE)
    tuned = content(model)
    assert {"weights.start.toml", "weights.tuning.jsonl"} <= tuned.keys()
    for name in ("notes.txt", ".hidden", "source/mine.txt", "consensus/consensus.json", "consensus/mine.txt"):
        (model / name).parent.mkdir(exist_ok=True)
        (model / name).write_text(name)
    (model / "empty").mkdir()
    (model / "link").symlink_to(tiny.folder)
    done = CliRunner().invoke(app, tiny.command(model, "--overwrite"))
    assert done.exit_code == 0, done.output
    assert (model / "empty").is_dir() and (model / "link").readlink() == tiny.folder
    shutil.rmtree(model / "empty")
    (model / "link").unlink()
    found = content(model)
    # What tuning and consensus made of the older model is no part of the new one.
    kept = {name for name, text in found.items() if text == name.encode()}
    assert kept == {"notes.txt", ".hidden", "source/mine.txt", "consensus/mine.txt"}
    assert "weights.start.toml" not in found and found["weights.toml"] != tuned["weights.toml"]
    assert found["rules.bin"] == tuned["rules.bin"]
    assert names(model.parent) == ["model"]


@pytest.mark.parametrize("name", ["file", "folder", "file/below", "/dev/null", "/proc/model"])
def test_what_is_in_the_way_is_seen_before_the_work(tiny: Tiny, tmp_path: Path, idle: None, name: str) -> None:
    if name.startswith("/proc") and not Path("/proc/self").is_dir():
        pytest.skip("needs /proc")
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.tex").write_text("years of work")
    before = content(tmp_path)
    for overwrite in (False, True):
        with pytest.raises(InputError):
            tiny.train(tmp_path / name, overwrite=overwrite)
    assert content(tmp_path) == before
    assert not os.path.lexists(f"{name}.training") and not os.path.lexists("/dev/.null.lock")


def test_a_folder_that_only_has_the_name_of_the_work_is_left_alone(tiny: Tiny, tmp_path: Path, idle: None) -> None:
    (tmp_path / "model.training").mkdir()
    (tmp_path / "model.training" / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match=r"model\.training: exists already and has no training\.json"):
        tiny.train(tmp_path / "model")
    assert content(tmp_path) == {"model.training/thesis.tex": b"years of work"}


def test_a_failure_before_the_first_step_leaves_no_folder(tiny: Tiny, tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("schön\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin:1: not UTF-8"):
        tiny.train(tmp_path / "model", source=tmp_path / "latin")
    assert names(tmp_path) == ["latin"]


def test_an_unknown_weight_is_seen_before_the_work(tiny: Tiny, tmp_path: Path, idle: None) -> None:
    with pytest.raises(InputError, match="has no feature 'lmm'"):
        tiny.train(tmp_path / "model", weights={"lmm": 1.0})
    assert names(tmp_path) == []


def test_tuning_removes_only_its_own_files(tiny: Tiny, model: Path) -> None:
    folder = model.parent / "w.toml.tuning"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    tune_model(model, *tiny.dev, TUNE, out=model.parent / "w.toml")
    assert content(folder) == {"mine.txt": b"mine"}


def test_a_record_of_an_alignment_replaces_only_records(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = read_alignment(tiny.files["alignment"])
    made = SimpleNamespace(alignment=links, empty=0, too_long=0, longest=100)
    monkeypatch.setattr(step, "align", lambda *_, **__: made)
    out, files = tmp_path / "links", (tiny.files["source"], tiny.files["target"])
    out.with_name("links.json").write_text('{"mine": 1}')
    with pytest.raises(InputError, match=r"links\.json: this is not an alignment record"):
        align_files(*files, Outputs(out), AlignOptions(model="ibm1"))
    assert content(tmp_path) == {"links.json": b'{"mine": 1}'}
    out.with_name("links.json").unlink()
    for overwrite in (False, True):
        assert align_files(*files, Outputs(out), AlignOptions(model="ibm1"), overwrite=overwrite)
    assert json.loads(out.with_name("links.json").read_text())["pairs"] == 120
    assert align_files(*files, Outputs(Path("/dev/null")), AlignOptions(model="ibm1"))
    assert not os.path.lexists("/dev/null.json") and not os.path.lexists("/dev/.null.lock")


def test_the_demo_and_experiments_leave_other_folders_alone(tmp_path: Path) -> None:
    mine = tmp_path / "demo-de-en"
    mine.mkdir()
    (mine / "alignment.gz").write_text("mine")
    with pytest.raises(InputError, match="was not made by graphmt demo"):
        tour(tmp_path)
    for part in ("train", "dev", "test"):
        for side in ("de.conllu", "en"):
            (mine / f"{part}.{side}").write_text("")
    before = content(tmp_path)
    with pytest.raises(InputError, match="was not made by an experiment"):
        run(RECIPES["segmentation"], tmp_path, tmp_path, corpora=["demo-de-en"])
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="not a folder"):
        run(RECIPES["segmentation"], tmp_path, tmp_path / "file" / "out", corpora=["demo-de-en"])
    assert content(tmp_path) == {**before, "file": b""}


def test_a_folder_without_the_marker_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with (
        pytest.raises(InputError, match="has no marker"),
        writing_folder(tmp_path, "marker", owned=lambda name: True, overwrite=True),
    ):
        pass
    assert names(tmp_path) == ["thesis.tex"]


def test_a_model_may_be_written_into_an_empty_folder_and_through_a_link(tiny: Tiny, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    tiny.train(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and names(tmp_path) == ["link", "real"]
    assert Model(tmp_path / "real").weights


def test_sides_of_different_length_are_refused_before_any_work(idle: None, tmp_path: Path) -> None:
    source, target = tmp_path / "a.de", tmp_path / "a.en"
    source.write_text("eins\nzwei\n", "utf-8")
    target.write_text("one\n", "utf-8")
    with pytest.raises(InputError, match=r"a\.en ends after 1 sentence, .*a\.de has 2"):
        train("pbmt", source=source, target=target, out=tmp_path / "model")
    assert names(tmp_path) == ["a.de", "a.en"]
