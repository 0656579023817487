"""The short way of requests that translate: the same answers as FastAPI's, and a client that goes away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from graphmt.server import ModelSource, ServeOptions, create_app
from graphmt.server.direct import DirectRoutes
from graphmt.server.guard import Guard
from graphmt.server.keys import Keys
from graphmt.server.metrics import Metrics
from small_models import Trained

ORIGIN = {"Origin": "https://elsewhere.example"}
JSON = [(b"content-type", b"application/json")]


@pytest.fixture(scope="module")
def both(demo: Trained) -> Iterator[TestClient]:
    """A server that answers pages of another origin by FastAPI, and other clients directly."""
    options = ServeOptions(threads=1, reload_interval=0, max_words=20, cors=(ORIGIN["Origin"],))
    sources = [ModelSource(name, str(demo.models[name])) for name in ("pbmt", "gbmt-ctx")]
    with TestClient(create_app(sources, options), raise_server_exceptions=False) as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/translate", {"text": "Er schläft. Sie nicht.", "n_best": 2, "derivations": ["json"]}),
        ("/v1/translate", {"text": "Er schläft.", "n_best": "2", "confidence": "yes"}),
        ("/v1/translate", {"conllu": "1\tEr\t_\t_\t_\t_\t0\t_\t_\t_\n\n", "model": "gbmt-ctx"}),
        ("/v1/translate", {"conllu": "1\tEr\n\n", "model": "gbmt-ctx"}),
        ("/v1/translate", {"text": "a " * 21}),
        ("/v1/translate", {"text": "Er.", "model": "nothing"}),
        ("/v1/translate", {"text": "Er.", "n_best": -1}),
        ("/v1/translate", {"text": "Er.", "unknown": 1}),
        ("/v1/translate", {"text": "lone \ud800 surrogate"}),
        ("/v1/translate", {"conllu": "1\t\ud800\t_\t_\t_\t_\t0\t_\t_\t_\n\n", "model": "gbmt-ctx"}),
        ("/v1/translate", []),
        ("/translate", {"q": "Er schläft.", "source": "de", "target": "en", "alternatives": 2}),
        ("/translate", {"q": "Er schläft.", "source": "de"}),
        ("/translate", {"q": "<b>Er schläft.</b>", "source": "de", "target": "en", "format": "html"}),
    ],
)
def test_both_ways_answer_alike(both: TestClient, path: str, body: object) -> None:
    content = json.dumps(body).encode()
    for kind in ("application/json", "application/json; charset=utf-8", "text/plain"):
        direct = both.post(path, content=content, headers={"Content-Type": kind})
        usual = both.post(path, content=content, headers={"Content-Type": kind, **ORIGIN})
        assert usual.headers["access-control-allow-origin"] == ORIGIN["Origin"]
        assert (direct.status_code, direct.json()) == (usual.status_code, usual.json())
        assert direct.headers["content-type"] == usual.headers["content-type"]


def test_other_bodies_are_left_to_fastapi(both: TestClient) -> None:
    for content in (b"", b"{", b"\xff", b"null"):
        answers = [
            both.post("/v1/translate", content=content, headers={"Content-Type": "application/json", **origin})
            for origin in ({}, ORIGIN)
        ]
        assert answers[0].status_code in (400, 422)
        assert answers[0].json() == answers[1].json()
    form = both.post("/translate", data={"q": "Er schläft.", "source": "de", "target": "en"})
    assert form.json() == {"translatedText": "He is sleeping."}
    assert both.get("/v1/translate").status_code == 405


def scope(path: str) -> dict:
    return {"type": "http", "method": "POST", "path": path, "headers": JSON, "client": ("127.0.0.1", 1)}


def test_a_request_whose_client_goes_away_is_cancelled() -> None:
    ended = []

    async def endpoint(*_: object) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def main() -> None:
        sent = []
        messages = [{"type": "http.disconnect"}, {"type": "http.request", "body": b"{}"}]

        async def receive() -> dict:
            return messages.pop()

        async def send(message: dict) -> None:
            sent.append(message)

        options, metrics = ServeOptions(), Metrics()
        app = DirectRoutes(None, {"/v1/translate": endpoint}, options)
        guard = Guard(app, options, metrics, keys=Keys([]))
        await guard(scope("/v1/translate"), receive, send)
        assert sent == []
        assert guard.in_progress == 0
        assert 'graphmt_requests_total{route="/v1/translate",status="gone"} 1' in metrics.text()

    asyncio.run(main())
    assert ended == ["cancelled"]


def test_a_body_that_does_not_arrive_is_refused() -> None:
    async def main() -> None:
        sent = []

        async def receive() -> dict:
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: dict) -> None:
            sent.append(message)

        guard = Guard(None, ServeOptions(timeout=0.001), Metrics(), keys=Keys([]))
        await guard(scope("/v1/translate"), receive, send)
        assert sent[0]["status"] == 408
        # The rest of the body is not waited for.
        assert (b"connection", b"close") in sent[0]["headers"]

    asyncio.run(main())


@pytest.mark.parametrize("limits", [{"BODY_SECONDS": 0.01, "BODY_RATE": 1 << 30}, {"options": 0.01}])
def test_a_body_that_comes_byte_by_byte_is_refused(monkeypatch: pytest.MonkeyPatch, limits: dict[str, float]) -> None:
    timeout = limits.pop("options", 60.0)
    for name, value in limits.items():
        monkeypatch.setattr(f"graphmt.server.guard.{name}", value)

    async def main() -> None:
        sent = []

        async def receive() -> dict:
            await asyncio.sleep(0.001)
            return {"type": "http.request", "body": b" ", "more_body": True}

        async def send(message: dict) -> None:
            sent.append(message)

        guard = Guard(None, ServeOptions(timeout=timeout), Metrics(), keys=Keys([]))
        await guard(scope("/v1/translate"), receive, send)
        assert sent[0]["status"] == 408

    asyncio.run(main())
