"""A model that is replaced on disk is taken up, and no request notices."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from graphmt.model import load_weights, save_weights
from graphmt.server import ModelSource, ServeOptions, create_app
from small_models import Trained


@pytest.fixture
def folder(demo: Trained, tmp_path: Path) -> Path:
    shutil.copytree(demo.models["pbmt"], tmp_path / "model")
    return tmp_path / "model"


def replaced(folder: Path, by: Path) -> None:
    """As training does it: the new folder takes the name."""
    shutil.copytree(by, folder.with_name("new"))
    folder.rename(folder.with_name("old"))
    folder.with_name("new").rename(folder)
    shutil.rmtree(folder.with_name("old"))


def version(client: TestClient) -> str:
    return client.get("/v1/models").json()["models"][0]["version"]


def translated(client: TestClient) -> str:
    answer = client.post("/v1/translate", json={"text": "Er schläft.", "derivations": ["json"]})
    assert answer.status_code == 200, answer.text
    return answer.json()["sentences"][0]["translations"][0]["derivation"]["is_tree"]


def test_a_replaced_model_is_taken_up(folder: Path, demo: Trained) -> None:
    app = create_app([ModelSource("model", str(folder))], ServeOptions(threads=2, reload_interval=0))
    with TestClient(app) as client:
        models = app.state.context.models
        before, held = version(client), models.get("model")
        assert models.refresh() == []
        replaced(folder, demo.models["hpb"])
        # Until it is taken up, the old one answers from the files that it has open.
        assert translated(client) is False
        assert models.refresh() == ["model"]
        assert translated(client) is True
        assert version(client) != before
        # A request that began with the old model finishes with it.
        assert held.model.translate("Er schläft .").text == "He is sleeping ."


def test_tuned_weights_are_taken_up(folder: Path) -> None:
    app = create_app([ModelSource("model", str(folder))], ServeOptions(threads=1, reload_interval=0))
    with TestClient(app) as client:
        before = version(client)
        models = app.state.context.models
        weights = load_weights(folder / "weights.toml", models.get().model.features, {"glossary": 1.0})
        save_weights({**weights, "lm": 0.25}, folder / "weights.toml")
        assert models.refresh() == ["model"]
        assert version(client) != before
        assert client.get("/v1/models").json()["models"][0]["weights"]["lm"] == 0.25


def test_the_old_model_stays_if_the_new_one_is_damaged(folder: Path, demo: Trained, caplog) -> None:
    app = create_app([ModelSource("model", str(folder))], ServeOptions(threads=1, reload_interval=0))
    with TestClient(app) as client:
        before = version(client)
        models = app.state.context.models
        (folder / "manifest.json").write_text("{}")
        for _ in range(3):
            assert models.refresh() == []
        assert sum("cannot be opened" in record.getMessage() for record in caplog.records) == 1
        assert version(client) == before
        assert translated(client) is False
        replaced(folder, demo.models["hpb"])
        assert models.refresh() == ["model"]


def test_the_server_looks_by_itself(folder: Path, demo: Trained) -> None:
    app = create_app([ModelSource("model", str(folder))], ServeOptions(threads=1, reload_interval=0.01))
    with TestClient(app) as client:
        before = version(client)
        replaced(folder, demo.models["hpb"])
        while version(client) == before:
            assert translated(client) in (True, False)
        assert translated(client) is True
