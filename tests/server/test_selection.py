"""Lexical selection and consensus through the server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from graphmt.consensus import ConsensusDecoder, ConsensusOptions, make_span_memory
from graphmt.consensus.decoding import FEATURES
from graphmt.server import ModelSource, ServeOptions, create_app, schemas
from graphmt.training import train
from small_models import Trained


@pytest.fixture(scope="module")
def client(demo: Trained, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("served")
    train(
        "hpb",
        source=demo.source,
        target=demo.target,
        alignment=demo.alignment,
        language_model=demo.lm,
        rules_of=demo.models["hpb"],
        selection=["gm"],
        options={"gm": {"lemmas": False, "threads": 1}, "extract": {"threads": 1}},
        out=folder / "selecting",
    )
    shutil.copytree(demo.models["btg"], folder / "agreeing")
    model = demo.load("btg")
    pairs = [("er schläft heute .", "he is asleep today ."), ("sie schläft heute .", "she is asleep today .")]
    memory, _ = make_span_memory(model, pairs, threads=1)
    weights = {**model.weights, **dict.fromkeys(FEATURES, 0.1)}
    decoder = ConsensusDecoder(model, memory, ConsensusOptions(threads=1), (model.weights, weights))
    decoder.save(folder / "agreeing" / "consensus")
    sources = [ModelSource.parse(str(folder / name)) for name in ("selecting", "agreeing")]
    with TestClient(create_app(sources, ServeOptions(threads=1, reload_interval=0))) as opened:
        yield opened


def test_lexical_selection_is_explained_and_can_be_left_out(client: TestClient, demo: Trained) -> None:
    for tree in demo.trees():
        asked = {"conllu": tree.conllu(), "model": "selecting"}
        found = client.post("/v1/explain", json=asked).json()
        schemas.ExplainOut.model_validate(found)
        if found["selection"]["graphs"]:
            break
    chosen = found["selection"]
    assert chosen["models"] == ["gm"]
    assert chosen["with"] == found["translation"]["text"]
    assert chosen["features"]["gm"]["value"] == pytest.approx(found["translation"]["features"]["gm"], abs=1e-4)
    graph = chosen["graphs"][0]
    assert graph["svg"].startswith("<svg")
    assert all(word["candidates"] for word in graph["words"])
    for edge in graph["edges"]:
        word, candidate = edge["first"]
        assert graph["words"][word]["candidates"][candidate]
    asked["selection"] = False
    without = client.post("/v1/translate", json=asked).json()
    assert without["translation"] == [chosen["without"]]
    assert client.post("/v1/explain", json=asked).json()["selection"] is None


def test_consensus_and_its_neighbours(client: TestClient) -> None:
    asked = {"text": ["er schläft heute ."], "tokenised": True, "model": "agreeing"}
    answer = client.post("/v1/translate", json={**asked, "consensus": True})
    assert answer.status_code == 200, answer.text
    [best] = answer.json()["sentences"][0]["translations"]
    assert set(FEATURES) <= set(best["features"])
    found = client.post("/v1/explain", json={**asked, "text": asked["text"][0]}).json()
    schemas.ExplainOut.model_validate(found)
    assert found["consensus"]["text"] == best["text"]
    first = found["consensus"]["neighbours"][0]
    assert (first["source"], first["translations"][0][0]) == ("er schläft heute .", "he is asleep today .")


def test_what_the_models_have(client: TestClient) -> None:
    selecting, agreeing = client.get("/v1/models").json()["models"]
    assert (selecting["selection"], selecting["consensus"]) == (["gm"], False)
    assert (agreeing["selection"], agreeing["consensus"]) == ([], True)
