"""Limits, keys, headers, metrics and the log."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import threading
import time
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from graphmt.errors import GraphmtError
from graphmt.server import ModelSource, ServeOptions, create_app
from graphmt.server.guard import SECURITY_HEADERS
from graphmt.server.logs import JsonLines
from small_models import Trained


def serving(demo: Trained, **options: object) -> TestClient:
    made = create_app([ModelSource("pbmt", str(demo.models["pbmt"]))], ServeOptions(reload_interval=0, **options))
    return TestClient(made, raise_server_exceptions=False)


@contextlib.contextmanager
def blocked(demo: Trained, **options: object) -> Iterator[tuple[TestClient, threading.Event]]:
    """A server whose only thread is busy until the event is set."""
    go_on, began = threading.Event(), threading.Event()

    def held() -> None:
        began.set()
        go_on.wait()

    with serving(demo, threads=1, **options) as client:
        client.portal.start_task_soon(client.app.state.context.scheduler.run, [held])
        began.wait()
        try:
            yield client, go_on
        finally:
            go_on.set()


@contextlib.contextmanager
def waiting(client: TestClient, *sentences: str, **more: str) -> Iterator[list[int]]:
    """A request whose sentences wait; after the block, the list has its status."""
    statuses: list[int] = []
    asked = {"text": list(sentences), **more}
    asking = threading.Thread(target=lambda: statuses.append(client.post("/v1/translate", json=asked).status_code))
    asking.start()
    while client.app.state.context.scheduler.waiting < len(sentences) and asking.is_alive():
        time.sleep(0.001)
    yield statuses
    asking.join()


def test_time_is_limited(demo: Trained) -> None:
    with blocked(demo, timeout=0.2) as (client, go_on):
        answer = client.post("/v1/translate", json={"text": "Er schläft ."})
        assert answer.status_code == 504
        assert answer.headers["retry-after"] == "5"
        assert client.get("/health").json() == {"status": "ok"}
        go_on.set()
        assert client.get("/ready").status_code == 200


def test_the_queue_is_limited(demo: Trained) -> None:
    with blocked(demo, queue=2) as (client, go_on):
        with waiting(client, "a", "b") as statuses:
            full = client.post("/v1/translate", json={"text": "a"})
            assert (full.status_code, full.headers["retry-after"]) == (503, "1")
            assert client.get("/ready").status_code == 503
            go_on.set()
        assert statuses == [200]


@pytest.mark.parametrize("with_keys", [False, True])
def test_too_many_requests_of_a_client(demo: Trained, tmp_path, with_keys: bool) -> None:
    (tmp_path / "keys").write_text("first-key-123\nsecond-key-456\n")
    options = {"keys": str(tmp_path / "keys")} if with_keys else {}
    key = {"api_key": "first-key-123"} if with_keys else {}
    with blocked(demo, concurrency=1, **options) as (client, go_on):
        with waiting(client, "Er .", **key) as statuses:
            second = client.post("/v1/translate", json={"text": "a"})
            assert (second.status_code, second.headers["retry-after"]) == (429, "1")
            # A made-up key makes no other client.
            for headers in ({"Authorization": "Bearer made-up-key"}, {"X-API-Key": "made-up-key"}):
                assert client.get("/v1/models", headers=headers).status_code == 429
            # Another client, by its key, is not affected.
            for headers in ({"Authorization": "Bearer second-key-456"}, {"X-API-Key": "second-key-456"}):
                assert client.get("/v1/models", headers=headers).status_code == (200 if with_keys else 429)
            # Nor are the checks of an operator, nor the files of the page.
            for path in ("/metrics", "/health", "/ready", "/", "/js/main.js"):
                assert client.get(path).status_code == 200
            go_on.set()
        assert statuses == [200]


def test_files_of_the_page_are_sent_once(client: TestClient) -> None:
    for path, kind in (("/", "text/html"), ("/icon.svg", "image/svg+xml"), ("/css/base.css", "text/css")):
        first = client.get(path)
        assert first.headers["content-type"].partition(";")[0] == kind
        assert first.headers["cache-control"] == "no-cache"
        assert client.get(path, headers={"If-None-Match": '"other"'}).content == first.content
        for known in (first.headers["etag"], f'"other", W/{first.headers["etag"]}'):
            again = client.get(path, headers={"If-None-Match": known})
            assert (again.status_code, again.content) == (304, b"")
        assert client.head(path).status_code == 200


def test_large_bodies(client: TestClient) -> None:
    text = json.dumps({"text": "a " * 40_000})
    for content in (text.encode(), (part.encode() for part in (text[:50_000], text[50_000:]))):
        answer = client.post("/v1/translate", content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 413
        assert "64 KiB" in answer.json()["error"]


def test_a_body_of_many_faults_has_one(client: TestClient) -> None:
    for path in ("/v1/translate", "/v1/explain", "/v1/rerank"):
        few, many = ({f"unknown{k}": 0 for k in range(number)} for number in (3, 1000))
        assert "fields are" not in client.post(path, json=few).json()["error"]
        answer = client.post(path, json=many)
        assert answer.status_code == 422
        assert re.fullmatch(r"the body: 100\d fields are malformed or unknown\.", answer.json()["error"])


def test_forms(client: TestClient) -> None:
    languages = "source=de&target=en"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for body, wanted in (
        ("q=Er+schl%C3%A4ft.", "He is sleeping."),
        ("q=Er+schl%C3%A4ft.&q=&q=Er+schl%C3%A4ft.", ["He is sleeping.", "", "He is sleeping."]),
    ):
        answer = client.post("/translate", content=f"{body}&{languages}", headers=form)
        assert answer.json() == {"translatedText": wanted}
    many = client.post("/translate", content="&".join(["a=b"] * 10_001), headers=form)
    assert (many.status_code, many.json()) == (400, {"error": "the form has more than 10,000 fields."})


def test_keys(demo: Trained, tmp_path) -> None:
    (tmp_path / "keys").write_text("# ours\nfirst-key-123  # Anna\n\nsecond-key-456\n")
    asked = {"q": "Er schläft.", "source": "de", "target": "en"}
    with serving(demo, keys=str(tmp_path / "keys")) as client:
        for given in ({}, {"api_key": "wrong"}, {"api_key": "first-key-12"}, {"api_key": "# ours"}, {"api_key": "ä"}):
            for path, body in (("/translate", asked), ("/v1/translate", {"text": "a"}), ("/detect", {"q": "a"})):
                assert client.post(path, json={**body, **given}).status_code == 403
        assert client.get("/v1/models").status_code == 403
        for key in ("first-key-123", "second-key-456"):
            assert client.post("/translate", json={**asked, "api_key": key}).status_code == 200
            assert client.post("/v1/translate", json={"text": "a", "api_key": key}).status_code == 200
            assert client.get("/v1/models", headers={"Authorization": f"Bearer {key}"}).status_code == 200
            assert client.get("/v1/models", headers={"X-API-Key": key}).status_code == 200
        assert client.get("/health").status_code == 200
        assert client.get("/").status_code == 200
        assert client.get("/frontend/settings").json()["keyRequired"] is True


@pytest.mark.parametrize(
    ("content", "said"), [("", "no keys"), ("short\n", "8 or more"), ("with spaces in it\n", "spaces")]
)
def test_malformed_key_files(demo: Trained, tmp_path, content: str, said: str) -> None:
    (tmp_path / "keys").write_text(content)
    with pytest.raises(GraphmtError, match=said):
        serving(demo, keys=str(tmp_path / "keys"))


def test_security_headers_everywhere(client: TestClient) -> None:
    for path in ("/", "/v1/models", "/nowhere", "/translate", "/openapi.json"):
        answer = client.get(path)
        for name, value in SECURITY_HEADERS.items():
            assert answer.headers[name] == value
        assert "server" not in answer.headers
    assert "default-src 'self'" in SECURITY_HEADERS["Content-Security-Policy"]


def test_other_origins_are_refused_by_default(client: TestClient, demo: Trained) -> None:
    origin = {"Origin": "https://elsewhere.example"}
    assert "access-control-allow-origin" not in client.get("/v1/models", headers=origin).headers
    with serving(demo, cors=("https://elsewhere.example",)) as allowing:
        answer = allowing.get("/v1/models", headers=origin)
        assert answer.headers["access-control-allow-origin"] == origin["Origin"]


@pytest.mark.parametrize(
    "path", ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "//etc/passwd", "/page/../../app.py", "/%00", "/app.py"]
)
def test_the_page_serves_nothing_else(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code in (400, 404)
    assert "import" not in answer.text


def test_unknown_addresses_and_methods(client: TestClient) -> None:
    assert client.get("/nowhere").json() == {"error": "there is nothing at this address."}
    assert client.get("/v1/translate").status_code == 405
    assert client.delete("/").status_code == 405


def test_metrics(client: TestClient) -> None:
    client.post("/v1/translate", json={"text": "Er schläft. Er schläft."})
    rows = client.get("/metrics").text.splitlines()
    values = dict(row.rsplit(" ", 1) for row in rows if not row.startswith("#"))
    assert float(values['graphmt_sentences_total{model="hpb"}']) >= 2
    assert float(values['graphmt_requests_total{route="/v1/translate",status="200"}']) >= 1
    assert values["graphmt_waiting_sentences"] == "0"
    assert values["graphmt_requests_in_progress"] == "1"
    assert float(values["process_resident_memory_bytes"]) > 1e6
    counted = float(values['graphmt_request_seconds_count{route="/v1/translate"}'])
    assert float(values['graphmt_request_seconds_bucket{route="/v1/translate",le="+Inf"}']) == counted


def test_the_log_has_no_text_unless_it_is_asked_for(demo: Trained, caplog: pytest.LogCaptureFixture) -> None:
    for log_text in (False, True):
        caplog.clear()
        with caplog.at_level(logging.INFO), serving(demo, log_text=log_text) as client:
            client.post("/v1/translate", json={"text": "Er schläft nicht."})
            client.post("/translate?q=schläft&source=de&target=en&api_key=secret")
            client.post("/v1/translate", json={"text": "schläft", "n_best": "schläft"})
        rows = [JsonLines().format(record) for record in caplog.records if record.name.startswith("graphmt")]
        requests = [json.loads(row) for row in rows if '"request"' in row]
        assert [(row["route"], row["status"]) for row in requests] == [
            ("/v1/translate", 200),
            ("/translate", 200),
            ("/v1/translate", 422),
        ]
        assert requests[0]["sentences"] == 1
        assert requests[0]["words"] == 4
        assert ("schläft" in "".join(rows)) is log_text
        assert "secret" not in "".join(rows)


def test_an_unexpected_error_shows_nothing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*args: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("graphmt.server.work._translated", failing)
    monkeypatch.setattr("graphmt.server.v1._model", failing)
    # One by a direct route, one by FastAPI.
    for answer in (client.post("/v1/translate", json={"text": "a"}), client.get("/v1/models")):
        assert answer.status_code == 500
        assert answer.json() == {"error": "an unexpected error; the log of the server has more."}
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_variants_of_a_model_are_made_once(client: TestClient) -> None:
    opened = client.app.state.context.models.get("pbmt")
    protecting = opened.variant(tokenised=False, protect=("numbers", "tags"))
    assert opened.variant(tokenised=False, protect=("numbers", "tags")) is protecting
    assert opened.variant(tokenised=True) is opened.model
    assert opened.variant(tokenised=False) is opened.raw_model
