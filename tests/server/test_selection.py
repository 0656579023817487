"""Lexical selection and consensus through the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from graphmt.consensus.decoding import FEATURES
from graphmt.server import ModelSource, ServeOptions, create_app, schemas
from small_models import Trained


@pytest.fixture(scope="module")
def client(special: Path) -> Iterator[TestClient]:
    sources = [ModelSource.parse(str(special / name)) for name in ("selecting", "agreeing")]
    with TestClient(create_app(sources, ServeOptions(threads=1, reload_interval=0))) as opened:
        yield opened


def test_lexical_selection_is_explained_and_can_be_left_out(client: TestClient, demo: Trained) -> None:
    # A sentence with words that have several translations.
    asked = {"conllu": demo.trees()[14].conllu(), "model": "selecting"}
    found = client.post("/v1/explain", json=asked).json()
    schemas.ExplainOut.model_validate(found)
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
    # Raw text gives the same words, detokenised.
    raw = {"text": "Er schläft heute.", "model": "agreeing"}
    made = client.post("/v1/translate", json={**raw, "consensus": True}).json()["translation"]
    assert made == best["text"].removesuffix(" .") + "."
    assert client.post("/v1/explain", json=raw).json()["consensus"]["text"] == made
    # Explained with consensus, too: its features are part of the score.
    for fixed in ([], [{"first": 1, "end": 2, "target": "dozes"}]):
        found = client.post("/v1/explain", json={**raw, "consensus": True, "fixed": fixed}).json()
        schemas.ExplainOut.model_validate(found)
        told = found["translation"]
        assert told["text"] == made if not fixed else "dozes" in told["text"]
        assert set(FEATURES) <= set(told["features"])
        total = sum(found["weights"][name] * value for name, value in told["features"].items())
        assert total == pytest.approx(told["score"], abs=1e-3)
        total = sum(step["score"] for step in told["steps"]) + told["sentence_score"]
        assert total == pytest.approx(told["score"], abs=1e-3)
    assert found["fixed"]["without"]["text"] == made


def test_what_the_models_have(client: TestClient) -> None:
    selecting, agreeing = client.get("/v1/models").json()["models"]
    assert (selecting["selection"], selecting["consensus"]) == (["gm"], False)
    assert (agreeing["selection"], agreeing["consensus"]) == ([], True)
