"""Connections that keep the server waiting are closed, and there is room for those that do not."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from graphmt.server import ModelSource, ServeOptions, connections
from serving import serving
from small_models import Trained

HEAD = b"POST /v1/translate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"


@contextlib.contextmanager
def served(demo: Trained, **options: object) -> Iterator[int]:
    """The port of a server."""
    made = ServeOptions(threads=1, reload_interval=0, **options)
    with serving([ModelSource("pbmt", str(demo.models["pbmt"]))], made) as address:
        yield urlsplit(address).port


@pytest.fixture(scope="module")
def port(demo: Trained) -> Iterator[int]:
    with served(demo) as port:
        yield port


@pytest.fixture
def small(demo: Trained, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server with room for four connections."""
    monkeypatch.setattr(connections, "most_connections", lambda: 4)
    with served(demo) as port:
        yield port


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def rest(one: socket.socket) -> bytes:
    """What the server still sends before it closes the connection."""
    found = b""
    with one, contextlib.suppress(ConnectionError):
        while part := one.recv(65_536):
            found += part
    return found


def dripped(one: socket.socket, parts: Iterator[bytes]) -> bytes:
    """What the server sends when it is tired of a client that sends a little now and then."""
    with contextlib.suppress(ConnectionError):
        for part in parts:
            one.send(part)
            time.sleep(0.001)
            if select.select([one], [], [], 0)[0]:
                break
    return rest(one)


def health(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_head_has_to_come_in_time(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    later = connected(port)
    later.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
    while not later.recv(65_536).endswith(b'{"status":"ok"}'):
        pass
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
    assert rest(connected(port)) == b""
    answer = dripped(connected(port), itertools.chain([HEAD, b"X: "], itertools.repeat(b"x")))
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"did not arrive in time" in answer
    # So has the head of a later request.
    assert dripped(later, itertools.chain([b"GET /"], itertools.repeat(b"x"))).startswith(b"HTTP/1.1 408 ")


def test_a_head_has_a_size(port: int) -> None:
    one = connected(port)
    answer = dripped(one, itertools.chain([HEAD], itertools.repeat(b"X: " + b"x" * 9000 + b"\r\n")))
    assert answer.startswith(b"HTTP/1.1 431 ") or answer == b""
    many = connected(port)
    many.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n" * 1000)
    assert rest(many).count(b'{"status":"ok"}') <= connections.MOST_PIPELINED + 1
    assert health(port) == 200


def test_an_answer_has_to_be_read(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.1)
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect(("127.0.0.1", port))
        one.settimeout(0.02)
        # It asks until the server has closed the connection, and reads nothing.
        with pytest.raises(ConnectionError):
            while True:
                with contextlib.suppress(TimeoutError):
                    one.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n")
    assert health(port) == 200


def test_idle_connections_make_room_for_others(small: int) -> None:
    idle = [connected(small) for _ in range(4)]
    # The oldest one without a request goes first.
    idle[0].sendall(HEAD + b"Content-Length: 9\r\n\r\n")
    more = []
    for one in idle[1:]:
        more.append(connected(small))
        assert rest(one) == b""
    # A request whose body is still to come gives way when there is no other.
    bodies = []
    for _ in range(4):
        bodies.append(connected(small))
        bodies[-1].sendall(HEAD + b"Content-Length: 9\r\n\r\n")
    assert health(small) == 200
    for one in (*idle, *more, *bodies):
        one.close()


def test_requests_that_are_worked_on_keep_their_connections(demo: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 2)
    began, go_on = [], []

    def held(*arguments: object) -> object:
        began.append(1)
        while not go_on:
            time.sleep(0.001)
        return translated(*arguments)

    from graphmt.server import work

    translated = work._translated
    monkeypatch.setattr(work, "_translated", held)
    body = json.dumps({"text": ["Er schläft .", "Er schläft ."]}).encode()
    with served(demo) as port:
        busy = [connected(port) for _ in range(2)]
        for one in busy:
            one.sendall(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        while not began:
            time.sleep(0.001)
        # Both have their whole request by now, or in a moment.
        while not (answer := rest(connected(port))).startswith(b"HTTP/1.1 503 "):
            assert answer == b""
        assert b"too many connections" in answer
        go_on.append(1)
        assert [rest(one)[:13] for one in busy if one.fileno() >= 0][-1] == b"HTTP/1.1 200 "


@pytest.mark.skipif(os.name != "posix", reason="limits the files of a process")
def test_the_limit_of_open_files_is_kept() -> None:
    # A hard limit can only be lowered.
    limits = [(256, 4096), (256, 600), (256, 256), (40, 40)]
    code = (
        "import json; from resource import RLIMIT_NOFILE as files, getrlimit, setrlimit\n"
        "from graphmt.server.connections import most_connections\n"
        f"print(json.dumps([(setrlimit(files, one), most_connections(), getrlimit(files)[0]) for one in {limits}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    (_, large, _), (_, raised, files), (_, low, still), (_, least, _) = json.loads(done.stdout)
    assert large == connections.MOST_CONNECTIONS
    # Up to the hard limit, the soft one is raised.
    assert (400 < raised < 600 - connections.RESERVED, files) == (True, 600)
    assert (100 < low < 256 - connections.RESERVED, still) == (True, 256)
    assert least == 8
