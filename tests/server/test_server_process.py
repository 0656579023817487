"""``graphmt serve`` as a process: stopping, workers that are killed, and what it says when it cannot start."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from graphmt.errors import GraphmtError, MissingPackageError
from graphmt.server import ModelSource, ServeOptions
from graphmt.server.run import serve
from small_models import Trained

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")


@contextlib.contextmanager
def server(
    *arguments: object, program: Sequence[object] = ("-m", "graphmt")
) -> Iterator[tuple[subprocess.Popen[bytes], int, Path]]:
    """A running server, its port and its log."""
    command = [sys.executable, *map(str, program), "serve", *map(str, arguments), "--port", "0"]
    log = Path(os.environ["PYTEST_SERVER_LOG"])
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stderr=stream, stdout=subprocess.DEVNULL)
    try:
        while not (found := re.search(r"Listening at http://127.0.0.1:(\d+)/", log.read_text())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.02)
        port = int(found[1])
        while True:
            with contextlib.suppress(OSError):
                ask(port, "GET", "/ready")
                break
            assert process.poll() is None, log.read_text()
            time.sleep(0.02)
        yield process, port, log
    finally:
        process.kill()
        process.wait()


@pytest.fixture(autouse=True)
def log_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_SERVER_LOG", str(tmp_path / "log"))


def ask(port: int, method: str, path: str, body: object = None) -> tuple[int, dict]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def stopped_while_translating(process: subprocess.Popen[bytes], port: int, body: dict) -> tuple[int, dict]:
    """The answer to a request during whose work the server is asked to stop; it ends with the exit code 0."""
    answers: list[tuple[int, dict]] = []
    asking = threading.Thread(target=lambda: answers.append(ask(port, "POST", "/v1/translate", body)))
    asking.start()
    while "graphmt_running_sentences 1" not in metrics(port):
        assert asking.is_alive()
    process.send_signal(signal.SIGTERM)
    asking.join()
    assert process.wait(60) == 0
    [answer] = answers
    return answer


def test_sigterm_finishes_what_was_accepted(demo: Trained) -> None:
    sentences = demo.texts() * 3
    with server(demo.models["hpb"], "--threads", 1, "--grace", 600) as (process, port, log):
        status, made = stopped_while_translating(process, port, {"text": sentences, "tokenised": True})
        assert status == 200
        assert len(made["translation"]) == len(sentences)
        rows = [json.loads(row) for row in log.read_text().splitlines() if row.startswith("{")]
        assert rows[-1]["level"] == "info"
        with pytest.raises(OSError):
            ask(port, "GET", "/health")


#: A server whose translations hold the lock of the interpreter for ever. Workers run the script as well.
HELD = """
import re, runpy, sys
import graphmt.server.work as work

def held(*_):
    print("began", file=sys.stderr, flush=True)
    re.match("(x+x+)+y", "x" * 60)

work._translated = held
if __name__ == "__main__":
    runpy.run_module("graphmt", run_name="__main__")
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stop_ends_what_does_not_end_by_itself(demo: Trained, tmp_path: Path, workers: int) -> None:
    (tmp_path / "held.py").write_text(HELD)
    how = ["--threads", 1, "--grace", 0.1, "--workers", workers]
    with server(demo.models["pbmt"], *how, program=[tmp_path / "held.py"]) as (process, port, log):
        asking = threading.Thread(target=lambda: broken(port), daemon=True)
        asking.start()
        while "began" not in log.read_text():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == (1 if workers == 1 else 0)
        assert "did not end in time" in log.read_text()


def broken(port: int) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
        ask(port, "POST", "/v1/translate", {"text": "Er schläft ."})


def test_a_stop_cancels_what_takes_longer(demo: Trained) -> None:
    sentences = demo.texts()[:1] * 1000
    body = {"text": sentences, "tokenised": True, "n_best": 100, "distinct": True, "confidence": True}
    with server(demo.models["hpb"], "--threads", 1, "--grace", 0) as (process, port, _):
        status, made = stopped_while_translating(process, port, body)
        assert (status, made["error"]) == (503, "the server is stopping.")


def metrics(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/metrics")
    try:
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def test_a_killed_worker_loses_no_answer_silently(demo: Trained) -> None:
    """Every request gets a whole answer or a broken connection, and the killed worker is replaced."""
    body = {"text": demo.texts()[:4], "tokenised": True}
    with server(demo.models["hpb"], "--workers", 2, "--threads", 1) as (process, port, log):
        wanted = ask(port, "POST", "/v1/translate", body)[1]["translation"]
        whole, broken, others = [], [], []

        def client() -> None:
            for _ in range(8):
                try:
                    status, made = ask(port, "POST", "/v1/translate", body)
                except (OSError, http.client.HTTPException):
                    broken.append(1)
                else:
                    (whole if status == 200 and made["translation"] == wanted else others).append(status)

        clients = [threading.Thread(target=client) for _ in range(3)]
        for one in clients:
            one.start()
        while len(whole) < 3:
            time.sleep(0.01)
        os.kill(workers(log)[0], signal.SIGKILL)
        for one in clients:
            one.join()
        assert others == []
        assert len(whole) + len(broken) == 24
        # All others were answered, and so are new ones.
        assert ask(port, "POST", "/v1/translate", body)[1]["translation"] == wanted
        while len(workers(log)) < 3:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def workers(log: Path) -> list[int]:
    """The processes that have said that they serve."""
    rows = [json.loads(row) for row in log.read_text().splitlines() if row.startswith("{") and row.endswith("}")]
    return [row["process"] for row in rows if row["message"].startswith("serving")]


@pytest.mark.parametrize(
    ("model", "how", "said"),
    [
        ("nowhere", {}, "nowhere"),
        ("{model}", {"host": "no host"}, "no address"),
        ("{model}", {"keys": "nowhere"}, "nowhere"),
        ("{model}", {"memory": "nowhere.tsv"}, "nowhere.tsv"),
        ("a b={model}", {}, "not a name"),
    ],
)
def test_what_cannot_be_served(demo: Trained, model: str, how: dict[str, str], said: str) -> None:
    with pytest.raises(GraphmtError, match=said):
        source = ModelSource.parse(model.replace("{model}", str(demo.models["pbmt"])), memory=how.get("memory"))
        serve([source], ServeOptions(keys=how.get("keys", "")), host=how.get("host", "127.0.0.1"), port=0)


def test_names_and_ports_that_are_taken(demo: Trained) -> None:
    source = ModelSource.parse(str(demo.models["pbmt"]))
    assert source.name == "pbmt"
    with pytest.raises(GraphmtError, match="two models have the name pbmt"):
        serve([source, source], ServeOptions(), host="127.0.0.1", port=0)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(GraphmtError, match="cannot listen"):
            serve([source], ServeOptions(), host="127.0.0.1", port=taken.getsockname()[1])


def test_the_extra_is_missing(demo: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingPackageError, match="uvicorn") as error:
        serve([ModelSource.parse(str(demo.models["pbmt"]))], ServeOptions(), host="127.0.0.1", port=0)
    assert "graphmt[serve]" in str(error.value)
