"""What the loop of events does not do, so that it answers everybody meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http.client
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from graphmt import _core
from graphmt.server import bodies, libre
from graphmt.server.connections import PART_BYTES, Connection
from graphmt.server.refusals import Refused
from graphmt.server.scheduler import Scheduler
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

JSON = "application/json"
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"
LONG = "a " * 5000


@pytest.mark.parametrize(
    ("path", "kind", "body", "reader"),
    [
        *[(f"/v1/{name}", JSON, f'{{"text": "{LONG}"}}', (bodies, "_parsed")) for name in ("translate", "explain")],
        ("/v1/rerank", JSON, f'{{"lists": "{LONG}"}}', (bodies, "_parsed")),
        *[(path, JSON, f'{{"q": "{LONG}"}}', (libre, "_json_object")) for path in ("/translate", "/detect")],
        *[(path, FORM, f"q={LONG}", (libre, "_fields")) for path in ("/translate", "/detect", "/translate_file")],
        ("/translate_file", MULTIPART, "--x\r\n", (libre, "_form")),
    ],
)
def test_long_bodies_are_read_in_a_thread(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, path: str, kind: str, body: str, reader: tuple[Any, str]
) -> None:
    module, name = reader
    read, threads = getattr(module, name), []

    def recorded(*given: Any) -> Any:
        if any(isinstance(one, bytes) and len(one) == len(body) for one in given):
            threads.append(threading.current_thread().name)
        return read(*given)

    monkeypatch.setattr(module, name, recorded)
    # Both ways: FastAPI's is that of pages of other origins.
    for headers in ({}, {"Origin": "https://elsewhere.example"}):
        answer = client.post(path, content=body, headers={"Content-Type": kind, **headers})
        assert answer.status_code in (200, 400, 403, 422)
    assert threads
    assert all(one.startswith("translate-") for one in threads)


def test_the_description_is_made_once_and_in_a_thread(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    made, usual = [], app.openapi

    def recorded() -> dict[str, Any]:
        made.append(threading.current_thread())
        return usual()

    loop: list[threading.Thread] = []

    async def asked() -> str:
        loop.append(threading.current_thread())
        return ""

    monkeypatch.setattr(app, "openapi", recorded)
    app.get("/which-thread")(asked)
    with TestClient(app) as client:
        first, second = client.get("/openapi.json"), client.get("/openapi.json")
        client.get("/which-thread")
    assert first.json()["paths"].keys() >= {"/v1/translate", "/health"}
    assert first.headers["content-type"] == "application/json"
    assert first.content == second.content
    assert len(made) == 1
    assert made != loop


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """The lengths of the parts that are read from connections, and of the pieces of bodies that uvicorn is given."""
    found: dict[str, list[int]] = {"parts": [], "pieces": []}

    def recorded(kind: type, name: str, lengths: list[int]) -> None:
        usual = getattr(kind, name)

        def method(self: Any, data: bytes) -> None:
            lengths.append(len(data))
            usual(self, data)

        monkeypatch.setattr(kind, name, method)

    recorded(Connection, "data_received", found["parts"])
    recorded(HttpToolsProtocol, "on_body", found["pieces"])
    return found


def posted(address: str, body: bytes | Iterator[bytes]) -> int:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    with contextlib.closing(connection):
        connection.request("POST", "/v1/translate", body, {"Content-Type": "application/json"})
        return connection.getresponse().status


def test_bodies_are_read_in_parts(address: str, seen: dict[str, list[int]]) -> None:
    body = b'{"text": "' + b"a " * 30_000 + b'"}'
    assert len(body) > 3 * PART_BYTES
    assert posted(address, body) == 422
    assert max(seen["parts"]) <= PART_BYTES
    assert sum(seen["pieces"]) == len(body)


def test_the_pieces_of_a_part_are_one(address: str, seen: dict[str, list[int]]) -> None:
    body = b'{"text": "' + b"a " * 2500 + b'"}'
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    with contextlib.closing(connection):
        connection.putrequest("POST", "/v1/translate")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders(chunks)
        assert connection.getresponse().status == 422
    assert sum(seen["pieces"]) == len(body)
    assert len(seen["pieces"]) <= len(seen["parts"])


class Large:
    """Something that a request holds."""


@pytest.mark.parametrize("outcome", ["done", "failed", "late"])
def test_nothing_holds_a_request_that_is_over(outcome: str) -> None:
    scheduler = Scheduler(1, 10)

    def unit_of(large: Large) -> Callable[[], Large]:
        def unit() -> Large:
            if outcome == "failed":
                raise Refused(422, "the body is malformed.")
            while outcome == "late":
                _core.point()
            return large

        return unit

    async def request() -> weakref.ref[Large]:
        large = Large()
        with contextlib.suppress(Refused):
            await scheduler.run([unit_of(large)], 0.01 if outcome == "late" else None)
        return weakref.ref(large)

    async def ended() -> bool:
        found = await request()
        # The thread lets go of it after it has told the request.
        while scheduler.running:
            await asyncio.sleep(0)
        await scheduler.run([lambda: None])
        return found() is None

    gc.collect()
    gc.disable()
    try:
        assert asyncio.run(ended())
    finally:
        gc.enable()
        scheduler.stop()


def test_processes_are_prepared() -> None:
    code = """
import gc, sys
from graphmt.server.processes import COLLECTED, SWITCH, prepare
prepare(1)
assert abs(sys.getswitchinterval() - SWITCH) < 1e-6 < SWITCH < 0.005
assert gc.get_threshold()[0] == COLLECTED[0] and gc.get_freeze_count() > 10_000
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
