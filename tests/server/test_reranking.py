"""/v1/rerank: choices and what supported them."""

from __future__ import annotations

from fastapi.testclient import TestClient
from graphmt.server import schemas

LISTS = [
    {
        "source": "wie geht ' s , wie steht ' s ?",
        "candidates": [
            {"text": "how 's it going to stand ?", "score": -4.2},
            {"text": "how 's it going ?", "score": -4.6},
        ],
    }
]
MEMORY = [{"source": "hallo , wie geht ' s ?", "target": "hi , how 's it going ?"}]


def test_consensus_with_a_memory(client: TestClient) -> None:
    answer = client.post("/v1/rerank", json={"lists": LISTS, "memory": MEMORY, "features": "gc"})
    [choice] = schemas.RerankOut.model_validate(answer.json()).choices
    assert choice.chosen == "how 's it going ?"
    assert (choice.place, choice.order) == (2, [1, 0])
    assert choice.neighbours[0]["target"] == MEMORY[0]["target"]


def test_default_features(client: TestClient) -> None:
    for memory in (MEMORY, None):
        answer = client.post("/v1/rerank", json={"lists": LISTS, "memory": memory})
        assert answer.status_code == 200, answer.text
        [choice] = answer.json()["choices"]
        assert sorted(choice["order"]) == [0, 1]


def test_what_cannot_be_processed(client: TestClient) -> None:
    for body in (
        {"lists": []},
        {"lists": LISTS, "memory": []},
        {"lists": LISTS, "memory": MEMORY, "features": "nothing"},
        {"lists": [{"source": "a", "candidates": []}]},
        {"lists": LISTS * 21, "memory": MEMORY},
    ):
        answer = client.post("/v1/rerank", json=body)
        assert answer.status_code == 422, answer.text
        assert answer.json()["error"]
